$strata trace --gpu nogpu -o out.strata -- ./app
