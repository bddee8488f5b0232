# what changed first, then the metrics that weigh most; one launch is only on one side
before=$data/correlate/broken-flow.json
sed -e 's/: 122126/: 222126/' -e 's/61679.79797979798/112184/' -e 's/"smsp__inst_executed.sum": 1605632/"smsp__inst_executed.sum": 3211264/' "$before" >after.json
"$strata" compare "$before" after.json --top 3 || exit 9
"$strata" compare "$before" after.json --top 2 -f csv || exit 9
"$strata" compare "$before" after.json --top 1 -f json || exit 9
"$strata" compare "$before" "$before" --launch column --with-launch histogram --top 2
