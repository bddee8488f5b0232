cd "$data"/correlate
"$strata" correlate --measured make.py flow.json
