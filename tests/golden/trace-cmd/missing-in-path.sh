$strata trace -o out.strata -- nothere-at-all
