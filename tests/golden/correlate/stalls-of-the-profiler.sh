# the profiler's unit of stalls is understood: no warning, and the errors are there
"$strata" correlate --measured "$data/correlate/ncu_h200_raw.csv" "$data/correlate/broken-flow.json" \
    --metric smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio -f csv
