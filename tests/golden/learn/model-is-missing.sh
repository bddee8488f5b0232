"$strata" learn rank "$data"/rod_lud.strata --gpu h200 -m no/such/model.learn
