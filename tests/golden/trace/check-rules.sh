"$strata" check --rules
