echo "{}" >r.json
"$strata" report r.json --repeated again.csv -o r.html
