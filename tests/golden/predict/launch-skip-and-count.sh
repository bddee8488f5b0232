"$strata" predict "$data"/traces --gpu h200 --model coalesce -f csv --launch-skip 1 --launch-count 1 | cut -d, -f1-4 | uniq
