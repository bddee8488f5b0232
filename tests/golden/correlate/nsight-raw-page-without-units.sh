# Some exports have no row of units, others leave single units empty: base units then.
grep -v "\"usecond\"" "$data"/correlate/ncu_raw.csv >none.csv
sed "s/\"usecond\"/\"\"/; s/\"sector\"/\"\"/2" "$data"/correlate/ncu_raw.csv >some.csv
for f in none some; do "$strata" correlate --measured $f.csv "$data"/correlate/flow.json --metric sm__cycles_elapsed.max --metric dram__sectors_read.sum --format csv; done
