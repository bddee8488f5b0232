"$strata" predict "$data"/traces/again --gpu h200 --model coalesce --set l1.size
