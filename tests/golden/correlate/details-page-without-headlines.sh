# nothing to show is an error that says what to export
grep -vE 'Elapsed Cycles' "$data/correlate/ncu_h200_details.csv" >page.csv
"$strata" correlate --measured page.csv "$data/correlate/broken-flow.json" --summary
