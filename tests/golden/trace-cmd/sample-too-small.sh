"$strata" trace --sample 0.00001% -- ./app
