"$strata" convert --to strata "$data/poly_GRAMSCHM.strata" /dev/full
