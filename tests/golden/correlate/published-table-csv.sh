cp "$data"/correlate/counters.csv .
"$strata" correlate --measured counters.csv "$data"/correlate/flow.json --table --format csv
