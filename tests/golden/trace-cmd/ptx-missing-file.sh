$strata trace --ptx nothere.ptx -o out.strata
