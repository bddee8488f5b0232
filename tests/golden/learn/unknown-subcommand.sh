"$strata" learn guess
