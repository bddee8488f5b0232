"$strata" learn generate -o no/such/place
