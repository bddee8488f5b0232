$strata tune --vary N=1 --model nonsense -- ./app {N}
