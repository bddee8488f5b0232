"$strata" sweep "$data"/traces/again --gpu h200 --vary l1.wys=4
