head -c 700 "$data"/correlate/counters.csv >cut.csv
"$strata" correlate --measured cut.csv "$data"/correlate/flow.json
