"$strata" check -f json "$data/poly_GRAMSCHM.strata"
