"$strata" sweep "$data"/traces/again --gpu h200 --model coalesce --vary l1.ways=4 --pareto smsp__inst_executed.sum
