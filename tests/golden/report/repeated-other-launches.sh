printf 'program,trace,sm__cycles_elapsed.max\nother,kernel-1,5\n' >again.csv
"$strata" report "$data"/correlate/flow.json --measured "$data"/correlate/counters.csv --repeated again.csv -o page.html
