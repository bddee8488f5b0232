# the details page knows the GPCs' cycles only, and "Issue Slots Busy" is of elapsed cycles
"$strata" correlate --measured "$data/correlate/ncu_h200_details.csv" "$data/correlate/broken-flow.json" --summary
"$strata" correlate --measured "$data/correlate/ncu_h200_details.csv" "$data/correlate/broken-flow.json" \
    --metric smsp__issue_active.avg.pct_of_peak_sustained_active --metric smsp__inst_executed.sum -f csv | cut -d, -f1-8
