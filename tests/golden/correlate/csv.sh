cd "$data"/correlate
"$strata" correlate --measured counters.csv flow.json --format csv --metric sm__cycles_elapsed.max
