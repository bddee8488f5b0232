# labels come from the timed L1 or the clocked model
"$strata" learn evaluate "$data/h200.strata" --gpu gtx470 --labels flow -m timed
