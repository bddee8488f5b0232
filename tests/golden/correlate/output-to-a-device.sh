# A device is written to, never replaced by a file of that name.
mkfifo pipe
cat pipe >copy &
"$strata" correlate -s --measured "$data"/correlate/counters.csv "$data"/correlate/flow.json -f csv -o pipe
wait
test -p pipe && head -n 1 copy
