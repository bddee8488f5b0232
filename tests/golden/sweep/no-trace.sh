"$strata" sweep --gpu h200 --vary l1.ways=4
