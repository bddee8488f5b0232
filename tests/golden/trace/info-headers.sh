"$strata" info --headers "$data/rod_lud.strata"
