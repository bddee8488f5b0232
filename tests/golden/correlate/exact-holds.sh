cd "$data"/correlate
"$strata" correlate --measured counters.csv flow.json --exact smsp__inst_executed.sum --metric smsp__inst_executed.sum
