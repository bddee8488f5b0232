"$strata" predict "$data"/traces/again --gpu h200 --model coalesce | head -n 5
