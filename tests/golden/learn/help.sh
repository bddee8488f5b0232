"$strata" learn --help
