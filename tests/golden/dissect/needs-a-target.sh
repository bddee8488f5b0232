"$strata" dissect
