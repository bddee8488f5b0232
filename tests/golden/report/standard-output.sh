"$strata" report "$data"/correlate/flow.json "$data"/correlate/coalesce.csv | tail -n 1
