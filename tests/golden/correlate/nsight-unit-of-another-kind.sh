sed "s/\"cycle\",\"usecond\"/\"Kbyte\",\"usecond\"/" "$data"/correlate/ncu_raw.csv >u.csv
"$strata" correlate --measured u.csv "$data"/correlate/flow.json --metric smsp__inst_executed.sum --format csv
