"$strata" timeline "$data/poly_GRAMSCHM.strata"
