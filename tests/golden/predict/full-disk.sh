"$strata" predict "$data"/traces/again --gpu h200 --model coalesce -f csv >/dev/full
