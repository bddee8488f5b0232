cd "$data"/correlate
"$strata" correlate --measured counters.csv flow.json coalesce.csv
"$strata" correlate --measured counters.csv flow.json coalesce.csv --summary
