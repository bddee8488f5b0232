"$strata" predict "$data"/traces/again --gpu h200 --model coalesce -o /nowhere/out.json
