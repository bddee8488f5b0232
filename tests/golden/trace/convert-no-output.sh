"$strata" convert "$data/rod_lud.strata"
