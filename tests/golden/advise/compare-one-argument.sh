"$strata" compare "$data/correlate/broken-flow.json"
