{ sleep 0.3; "$strata" predict "$data"/traces --gpu h200 --model coalesce -f csv 2>err; echo $? >code; } | true
cat err >&2; cat code
