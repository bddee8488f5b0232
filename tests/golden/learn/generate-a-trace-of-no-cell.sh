"$strata" learn generate --trace 4,129 -o visit.strata
