mkdir app; $strata trace -o out.strata -- ./app
