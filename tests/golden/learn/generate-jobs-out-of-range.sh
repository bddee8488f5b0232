"$strata" learn generate -o d -j 65
