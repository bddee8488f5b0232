$strata trace --kill -- ./app
