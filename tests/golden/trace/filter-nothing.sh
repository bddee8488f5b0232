"$strata" info --kernel-name gemm "$data/rod_lud.strata"
