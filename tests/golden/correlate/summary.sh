cd "$data"/correlate
"$strata" correlate --measured counters.csv flow.json --summary
"$strata" correlate --measured counters.csv flow.json --summary -f csv
"$strata" correlate --measured counters.csv flow.json -s -f json
