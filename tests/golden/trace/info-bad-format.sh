"$strata" info -f xml "$data/poly_GRAMSCHM.strata"
