"$strata" learn generate
