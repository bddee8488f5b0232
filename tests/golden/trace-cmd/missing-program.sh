$strata trace -o out.strata -- ./nothere
