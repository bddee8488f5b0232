"$strata" predict "$data"/rod_lud.strata --gpu h200 --model interval --set model.late=maybe
