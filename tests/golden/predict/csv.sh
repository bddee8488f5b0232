"$strata" predict "$data"/traces/again --gpu h200 --model coalesce --format csv | head -n 5
