"$strata" info - - <"$data/rod_lud.strata"
