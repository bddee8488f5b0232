"$strata" learn rank
