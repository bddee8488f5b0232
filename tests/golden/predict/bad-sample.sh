"$strata" predict "$data/poly_GRAMSCHM.strata" --gpu h200 --sample none
