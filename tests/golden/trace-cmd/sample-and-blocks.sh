"$strata" trace --sample 1% --sample-blocks 4 -- ./app
