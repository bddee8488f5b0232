# Another measurement of the same launches: the page has the spread of what differed, and nothing for what did not.
sed '2s/,9000$/,9100/' "$data"/correlate/counters.csv >again.csv
cmp -s again.csv "$data"/correlate/counters.csv && echo "nothing was changed"
"$strata" report "$data"/correlate/flow.json --measured "$data"/correlate/counters.csv --repeated again.csv -q -o page.html
grep -o '"runs": [0-9]*' page.html
grep -o '{"[^{}]*:\[[0-9.]*,[0-9.]*\][^{}]*}' page.html
