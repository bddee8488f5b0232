$strata frobnicate
