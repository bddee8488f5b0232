$strata trace --help
