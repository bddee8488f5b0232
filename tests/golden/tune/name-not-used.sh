$strata tune --vary N=1,2 -- ./app {M}
