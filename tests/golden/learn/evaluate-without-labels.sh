"$strata" learn profile "$data"/rod_lud.strata --gpu h200 -o x.learn -q --no-labels
"$strata" learn evaluate x.learn -m sdcm
