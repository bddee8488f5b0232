cp "$data"/correlate/ncu_raw.csv .
"$strata" correlate --measured ncu_raw.csv "$data"/correlate/flow.json --metric sm__cycles_elapsed.max --min-time 10us
