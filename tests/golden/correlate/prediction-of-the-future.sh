sed 's#prediction/1#prediction/2#' "$data"/correlate/flow.json >new.json
"$strata" correlate --measured "$data"/correlate/counters.csv new.json
