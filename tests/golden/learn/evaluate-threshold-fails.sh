"$strata" learn evaluate "$data"/poly_GRAMSCHM.strata --gpu h200 -q -m ppt --most-miss-error 0.001 >/dev/null
