"$strata" predict "$data/poly_GRAMSCHM.strata" --gpu h200 --model reuse --variant paper --cache-control none
