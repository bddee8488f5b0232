"$strata" report nowhere.json -o page.html
