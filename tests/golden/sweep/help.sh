"$strata" sweep --help
