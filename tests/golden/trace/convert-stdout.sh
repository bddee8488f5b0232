# A dash is standard output.
"$strata" convert "$data/poly_GRAMSCHM.strata" - >copy.strata && "$strata" check copy.strata
