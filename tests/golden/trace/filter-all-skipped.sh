"$strata" info --launch-skip 100 "$data/rod_lud.strata"
