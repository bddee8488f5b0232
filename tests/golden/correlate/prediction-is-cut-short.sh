head -c 700 "$data"/correlate/flow.json >cut.json
"$strata" correlate --measured "$data"/correlate/counters.csv cut.json
