set -e
"$strata" sweep "$data"/traces/again --gpu h200 --model coalesce --vary l1.ways=4,8 l1.mshrs=1,2 --metric smsp__inst_executed.sum | tail -4
