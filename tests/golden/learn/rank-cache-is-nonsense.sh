"$strata" learn rank "$data"/rod_lud.strata --gpu h200 --cache large
