# cycles and l1hit stand for the profiler's names
"$strata" correlate --measured "$data/correlate/ncu_h200_raw.csv" "$data/correlate/broken-flow.json" --metric cycles --metric l1hit -f csv | cut -d, -f1-5
"$strata" metrics l2hit
"$strata" correlate --measured "$data/correlate/ncu_h200_raw.csv" "$data/correlate/broken-flow.json" --metric cycles --max-error cycles=1 -q >/dev/null
