"$strata" sweep "$data"/traces/again --vary l1.ways=4
