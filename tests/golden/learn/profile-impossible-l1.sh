"$strata" learn profile "$data"/rod_lud.strata --gpu h200 -o x.learn --l2 --l1 64,7
