"$strata" info -o /dev/full "$data/poly_GRAMSCHM.strata"
