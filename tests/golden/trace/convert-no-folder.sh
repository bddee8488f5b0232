"$strata" convert "$data/poly_GRAMSCHM.strata" no/such/folder/out.strata
