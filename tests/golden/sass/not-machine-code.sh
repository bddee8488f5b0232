"$strata" sass "$data/counters.csv"
