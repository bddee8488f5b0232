"$strata" report "$data"/correlate/flow.json --measured nowhere.csv -o page.html
