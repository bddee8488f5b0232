"$strata" generate
