"$strata" trace --sample 0 -- ./app
