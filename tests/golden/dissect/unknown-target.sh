"$strata" dissect --target moon
