cd "$data"/correlate
"$strata" correlate --measured counters.csv flow.json --bogus
