# The second launch of a program finds what the first left; caches of two traces are their own, for any number of threads.
"$strata" predict -q "$data/poly_GRAMSCHM.strata" "$data/rod_lud.strata" --gpu h200 --cache-control none -f csv >one.csv
"$strata" predict -q "$data/poly_GRAMSCHM.strata" "$data/rod_lud.strata" --gpu h200 --cache-control none -f csv -j 3 >three.csv
cmp one.csv three.csv
for how in all none; do
    "$strata" predict -q "$data/poly_GRAMSCHM.strata" --gpu h200 --cache-control $how -f csv | grep -E "dram__sectors_read.sum" | sed "s/.*dram__/$how dram__/"
done
"$strata" predict -q "$data/poly_GRAMSCHM.strata" --gpu h200 --model reuse --cache-control none -f csv | grep -E "dram__sectors_read.sum" | sed "s/.*dram__/reuse dram__/"
