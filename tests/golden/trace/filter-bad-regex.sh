"$strata" info --kernel-name "regex:(" "$data/rod_lud.strata"
