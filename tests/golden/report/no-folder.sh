"$strata" report "$data"/correlate/flow.json -o nowhere/page.html
