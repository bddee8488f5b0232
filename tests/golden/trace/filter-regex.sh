"$strata" info --headers --kernel-name "regex:lud_(dia|peri)" --launch-skip 1 --launch-count 2 "$data/rod_lud.strata"
