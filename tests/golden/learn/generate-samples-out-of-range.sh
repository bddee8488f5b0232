"$strata" learn generate -o d --samples 0
