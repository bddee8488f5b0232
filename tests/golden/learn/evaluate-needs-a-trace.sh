"$strata" learn evaluate
