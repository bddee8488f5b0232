cd "$data"/correlate
"$strata" correlate --measured counters.csv coalesce.csv --metric dram__sectors_read.sum
