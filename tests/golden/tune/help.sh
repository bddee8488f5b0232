$strata tune --help
