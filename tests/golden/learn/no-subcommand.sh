"$strata" learn
