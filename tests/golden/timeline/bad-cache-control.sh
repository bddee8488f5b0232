"$strata" timeline "$data/poly_GRAMSCHM.strata" --gpu h200 --cache-control some
