cd "$data"/correlate
"$strata" correlate --measured counters.csv flow.json --exact dram__sectors_read.sum --metric smsp__inst_executed.sum -q
