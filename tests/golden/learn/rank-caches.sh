"$strata" learn rank "$data"/poly_GRAMSCHM.strata --gpu h200 -m sdcm -q --launch-count 1 --launch-skip 2
