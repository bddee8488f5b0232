cp "$data"/correlate/ncu_details.csv t.csv; grep "^\"1\".*inst_executed" t.csv | sed "s/1,310,720/1,310,721/" >>t.csv
"$strata" correlate --measured t.csv "$data"/correlate/flow.json
