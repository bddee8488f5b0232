cd "$data"/correlate
"$strata" correlate --measured ncu_raw.csv flow.json --metric dram__sectors_read.sum --min-value dram__sectors_read.sum=0
