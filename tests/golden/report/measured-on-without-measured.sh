echo "{}" >r.json
"$strata" report r.json --measured-on h200 -o r.html
