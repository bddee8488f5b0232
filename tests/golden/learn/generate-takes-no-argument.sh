"$strata" learn generate here -o there
