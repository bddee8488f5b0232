$strata trace --code cuda -- ./app
