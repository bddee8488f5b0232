$strata trace --compile --code ptx -- ./app
