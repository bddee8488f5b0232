cd "$data"/correlate
"$strata" correlate --measured counters.csv counters.csv
