# Results of other kinds than predictions go in too, and the GPU they name with them.
"$strata" reuse "$data"/traces/strided --gpu h200 -q --format json -o reuse.json
"$strata" report reuse.json -o page.html
grep -c '"file": "reuse.json", "content": {"schema":"strata.reuse/1"' page.html
grep -c '^"gpus": \[{"gpu":"h200"' page.html
