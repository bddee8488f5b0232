cat "$data"/correlate/counters.csv >twice.csv; tail -n 1 twice.csv >last; cat last >>twice.csv
"$strata" correlate --measured twice.csv "$data"/correlate/flow.json
