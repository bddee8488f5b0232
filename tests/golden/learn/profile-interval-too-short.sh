"$strata" learn profile "$data"/rod_lud.strata --gpu h200 -o x.learn --interval 5
