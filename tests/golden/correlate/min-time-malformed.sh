"$strata" correlate --measured "$data"/correlate/ncu_raw.csv "$data"/correlate/flow.json --min-time soon
