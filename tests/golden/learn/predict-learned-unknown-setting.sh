"$strata" predict "$data"/rod_lud.strata --gpu h200 --model learned --set model.depth=3
