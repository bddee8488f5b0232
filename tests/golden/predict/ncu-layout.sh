# what correlate reads as measured gives no error against the prediction itself
"$strata" predict "$data/rod_lud.strata" --gpu h200 -c 1 -m coalesce -f ncu -q | sed -n 1,4p
"$strata" predict "$data/rod_lud.strata" --gpu h200 -c 3 -f ncu -q -o ncu.csv
"$strata" predict "$data/rod_lud.strata" --gpu h200 -c 3 -f json -q -o flow.json
"$strata" correlate --measured ncu.csv flow.json --summary
