"$strata" report
