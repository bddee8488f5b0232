"$strata" hotspots "$data/rod_lud.strata" --gpu h200 --by block
