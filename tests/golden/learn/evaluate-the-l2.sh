"$strata" learn evaluate "$data"/poly_GRAMSCHM.strata --gpu h200 --l2 --l1 64,8 -m timed -q | head -2
