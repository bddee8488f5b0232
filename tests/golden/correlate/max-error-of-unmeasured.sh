cd "$data"/correlate
"$strata" correlate -s --measured counters.csv flow.json --max-error dram__sectors_write.sum=5 >/dev/null
