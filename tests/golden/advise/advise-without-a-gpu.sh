"$strata" advise "$data/rod_lud.strata"
