"$strata" predict some.strata
