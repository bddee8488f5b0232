cp "$data"/correlate/*.csv "$data"/correlate/flow.json .
"$strata" correlate --db s.db --measured counters.csv flow.json >/dev/null
"$strata" correlate --db s.db --measured ncu_raw.csv --summary
echo "exit $?"
"$strata" correlate --db s.db --measurement ncu_raw.csv --metric sm__cycles_elapsed.max --format csv
