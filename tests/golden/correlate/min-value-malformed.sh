cd "$data"/correlate
"$strata" correlate --measured counters.csv flow.json --min-value dram__sectors_read.sum=many
