cp "$data"/correlate/ncu_raw.csv t.csv; grep "^\"1\"" "$data"/correlate/ncu_raw.csv >>t.csv
"$strata" correlate --measured t.csv "$data"/correlate/flow.json
