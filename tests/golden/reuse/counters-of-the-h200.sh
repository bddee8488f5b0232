# Two launches may run at a time: the result is the same.
"$strata" predict "$data"/traces --gpu h200 --model reuse -f csv -q >one
"$strata" predict "$data"/traces --gpu h200 --model reuse -f csv -q -j 3 | cmp - one && echo the same
"$strata" predict "$data"/accelsim/rod_lud --gpu h200 --model reuse -f csv -q | grep -E "lookup_hit|sectors_read|xbar"
