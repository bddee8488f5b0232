sed 's/"program": "/&other_/' "$data"/correlate/flow.json >other.json
"$strata" correlate --measured "$data"/correlate/counters.csv other.json
