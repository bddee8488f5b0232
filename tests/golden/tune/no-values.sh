$strata tune --vary N -- ./app {N}
