cp "$data"/correlate/counters.csv .
"$strata" correlate --measured counters.csv "$data"/correlate/flow.json "$data"/correlate/coalesce.csv --table
