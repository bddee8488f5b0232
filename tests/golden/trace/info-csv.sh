"$strata" info -f csv --launch-count 1 "$data/rod_lud.strata"
