cd "$data"/correlate
"$strata" correlate --measured counters.csv flow.json --metric dram__sectors_write.sum
