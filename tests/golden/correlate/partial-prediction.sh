cd "$data"/correlate
grep -v ^tiny coalesce.csv | "$strata" correlate --measured counters.csv - --metric smsp__inst_executed.sum
