cd "$data"/correlate
"$strata" correlate -s --measured counters.csv flow.json --max-error sm__cycles_elapsed.max=10
