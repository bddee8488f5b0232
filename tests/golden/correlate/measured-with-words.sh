sed 's/,16640,/,lots,/' "$data"/correlate/counters.csv >words.csv
"$strata" correlate --measured words.csv "$data"/correlate/flow.json
