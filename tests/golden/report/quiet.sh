"$strata" report -q "$data"/correlate/flow.json -o page.html && ls
