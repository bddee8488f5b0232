"$strata" predict "$data"/traces --gpu h200 --model coalesce -f csv -k regex:^d | cut -d, -f1-4 | uniq
"$strata" predict "$data"/traces --gpu h200 --model coalesce -f csv --kernel-name every | cut -d, -f1-4 | uniq
