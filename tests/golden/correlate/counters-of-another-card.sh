# the file names an H200: a prediction for another GPU is not scored with it
sed 's/"gpu": "h200"/"gpu": "titanv-new"/' "$data/correlate/broken-flow.json" >volta.json
m=$data/correlate/ncu_h200_raw.csv
"$strata" correlate --measured "$m" volta.json "$data/correlate/broken-flow.json" --summary -f csv || exit 9
"$strata" correlate --measured "$m" volta.json --summary -f csv --any-gpu || exit 9
"$strata" correlate --measured "$m" volta.json --summary
