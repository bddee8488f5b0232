cp "$data"/correlate/counters.csv .
"$strata" correlate --measured counters.csv "$data"/correlate/flow.json --min-time 1us
