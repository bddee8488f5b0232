$strata trace -o out.txt -- ./app
