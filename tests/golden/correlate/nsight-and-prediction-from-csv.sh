cd "$data"/correlate
"$strata" correlate --measured ncu_details.csv coalesce.csv --exact smsp__inst_executed.sum -f csv
