mkdir raw
echo '{"schema": "strata.probe/1", "series": [{"name": "a", "file": "a.csv", "experiment": "chase", "path": "l1"}]}' >raw/manifest.json
printf 'step,index,latency\n0,1\n' >raw/a.csv
"$strata" dissect --from raw
