"$strata" predict "$data/poly_GRAMSCHM.strata" "$data/poly_GRAMSCHM.strata" --gpu h200 --sample 5%
