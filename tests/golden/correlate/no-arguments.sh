"$strata" correlate
