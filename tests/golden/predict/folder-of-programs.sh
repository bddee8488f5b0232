"$strata" predict "$data"/traces --gpu h200 --model coalesce -f csv | cut -d, -f1-4 | uniq
