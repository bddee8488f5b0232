echo hello hello hello hello hello hello hello hello hello hello hello >x.db
"$strata" sweep "$data"/traces/again --gpu h200 --model coalesce --vary l1.ways=4 --db x.db
