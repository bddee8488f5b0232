$strata trace -o out.strata
