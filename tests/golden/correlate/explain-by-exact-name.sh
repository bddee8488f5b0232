# kernel-3 is kernel-3, though kernel-30 begins alike; the profiler's page has no such names, the prediction has
sed -e 's/"kernel-7"/"kernel-30"/' "$data/correlate/broken-flow.json" >p.json
"$strata" correlate --measured "$data/correlate/ncu_h200_raw.csv" p.json --explain kernel-3
