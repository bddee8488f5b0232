cp "$data"/correlate/ncu_raw.csv .
"$strata" correlate --measured ncu_raw.csv "$data"/correlate/flow.json --min-time 1s
