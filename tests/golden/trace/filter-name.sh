"$strata" info --headers --kernel-name lud_diagonal "$data/rod_lud.strata"
