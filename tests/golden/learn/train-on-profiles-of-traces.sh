mkdir d
"$strata" learn profile "$data"/rod_lud.strata --gpu h200 -o d/x.learn -q
"$strata" learn train d -o m.learn
