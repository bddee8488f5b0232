"$strata" learn profile "$data"/rod_lud.strata --gpu h200 -o x.learn -q
"$strata" learn rank "$data"/rod_lud.strata --gpu h200 -m ./x.learn
