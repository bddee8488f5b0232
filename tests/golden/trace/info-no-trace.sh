"$strata" info
