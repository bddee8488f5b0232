cp "$data"/correlate/counters.csv .
"$strata" correlate --db s.db --measured counters.csv
