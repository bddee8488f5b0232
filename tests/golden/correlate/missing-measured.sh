cd "$data"/correlate
"$strata" correlate --measured nowhere.csv flow.json
