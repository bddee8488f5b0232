# Only predictions for the measured GPU are compared.
"$strata" report "$data"/correlate/flow.json --measured "$data"/correlate/counters.csv --measured-on gtx980 -o page.html
grep -c '"schema": "strata.correlation/1"' page.html || :
