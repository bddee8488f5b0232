"$strata" sweep "$data"/traces/again --gpu h200 --model magic --vary l1.ways=4 2>err
code=$?
sed "s/there are:.*/there are: .../" err >&2
exit $code
