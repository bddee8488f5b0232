mkdir raw
echo '{"schema": "strata.probe/1", "target": "cuda", "series": []}' >raw/manifest.json
"$strata" dissect --from raw --format json
