cd "$data"/correlate
"$strata" correlate --measured ncu_details.csv flow.json -s
