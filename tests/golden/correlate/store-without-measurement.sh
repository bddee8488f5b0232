"$strata" correlate --db s.db "$data"/correlate/flow.json
