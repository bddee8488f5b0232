cd "$data"/correlate
"$strata" correlate --measured counters.csv flow.json --max-error sm__cycles_elapsed.max
