grep -v 'jacob.*24,100' "$data"/correlate/ncu_raw.csv >one.csv
"$strata" correlate --measured one.csv "$data"/correlate/flow.json
