"$strata" predict "$data"/rod_lud.strata --gpu h200 --model interval --variant mdm+
