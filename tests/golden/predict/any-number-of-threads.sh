"$strata" predict "$data"/traces --gpu h200 --model coalesce -f json >one
for j in 2 3 8; do "$strata" predict "$data"/traces --gpu h200 --model coalesce -f json -j $j | cmp - one && echo the same; done
