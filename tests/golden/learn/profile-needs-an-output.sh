"$strata" learn profile "$data"/rod_lud.strata --gpu h200
