# The page is written and its path is named.
"$strata" report "$data"/correlate/flow.json --measured "$data"/correlate/counters.csv -o page.html
head -c 15 page.html; echo
grep -c '"schema": "strata.correlation/1"' page.html
