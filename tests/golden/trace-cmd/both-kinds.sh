$strata trace --ptx a.ptx -o out.strata -- ./app
