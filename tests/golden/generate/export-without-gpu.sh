"$strata" export "$data/rod_lud.strata"
