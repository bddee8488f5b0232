"$strata" timeline "$data/poly_GRAMSCHM.strata" --gpu h200 --sample 150%
