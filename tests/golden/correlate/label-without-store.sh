"$strata" correlate --measured "$data"/correlate/counters.csv "$data"/correlate/flow.json --label old
