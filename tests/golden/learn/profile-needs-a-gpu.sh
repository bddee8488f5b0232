"$strata" learn profile "$data"/rod_lud.strata -o x.learn
