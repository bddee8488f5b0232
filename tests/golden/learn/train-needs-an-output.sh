"$strata" learn train d
