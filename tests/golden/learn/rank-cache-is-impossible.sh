"$strata" learn rank "$data"/rod_lud.strata --gpu h200 --cache 10,4
