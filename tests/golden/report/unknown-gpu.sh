# A GPU file that is not there is told and does not stop the page.
sed 's/"gpu": "[a-z0-9]*"/"gpu": "nowhere"/' "$data"/correlate/flow.json >flow.json
"$strata" report flow.json -o page.html
grep -c '^"gpus": \[\]' page.html
