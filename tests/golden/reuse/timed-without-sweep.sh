"$strata" reuse "$data/rod_lud.strata" --gpu h200 --timed
