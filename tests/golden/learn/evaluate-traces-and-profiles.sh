"$strata" learn evaluate x.learn "$data"/rod_lud.strata --gpu h200
