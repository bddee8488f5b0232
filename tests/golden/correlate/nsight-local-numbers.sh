# A decimal comma would turn 16,384 into 16.384; the row is named.
sed "s/\"16,640\"/\"16.640,0\"/" "$data"/correlate/ncu_raw.csv >l.csv
"$strata" correlate --measured l.csv "$data"/correlate/flow.json
