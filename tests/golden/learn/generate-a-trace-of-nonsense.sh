"$strata" learn generate --trace four -o visit.strata
