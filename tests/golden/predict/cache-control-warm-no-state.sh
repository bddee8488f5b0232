"$strata" predict "$data/poly_GRAMSCHM.strata" --gpu h200 --model interval --cache-control warm
