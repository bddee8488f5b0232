mkdir here
"$strata" predict "$data/rod_lud.strata" --gpu h200 -o here
