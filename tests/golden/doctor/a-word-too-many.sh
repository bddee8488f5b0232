"$strata" doctor now
