"$strata" predict "$data/rod_lud.strata" --gpu h200 --summary -f csv
