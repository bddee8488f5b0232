# the summary says which and why, and the exit code is 1
before=$data/correlate/broken-flow.json
sed -e 's/: 122126/: 222126/' -e 's/61679.79797979798/112184/' -e 's/"smsp__inst_executed.sum": 1605632/"smsp__inst_executed.sum": 3211264/' "$before" >after.json
"$strata" check-regression "$before" "$before" || exit 9
"$strata" check-regression "$before" after.json --max-slowdown 90 >/dev/null || exit 9
"$strata" check-regression "$before" after.json
