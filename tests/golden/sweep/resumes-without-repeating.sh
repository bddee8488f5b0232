sweep() { "$strata" sweep "$data"/traces/again --gpu h200 --model coalesce --vary l1.ways=$1 --db r.db -v 2>&1 >/dev/null | sed "s/, [0-9.]* s\./, TIME./"; }
sweep 4,8
sweep 4,8,16,3
sweep 4,8,16,3
