"$strata" advise "$data/rod_lud.strata" --gpu h200 --least-gain 120
