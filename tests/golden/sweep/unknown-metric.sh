"$strata" sweep "$data"/traces/again --gpu h200 --model coalesce --vary l1.ways=4 --rank heartbeats
