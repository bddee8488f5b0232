# Each launch just after itself: what fits the L2 is there, launches do not follow one another, any number of threads gives the same.
"$strata" predict -q "$data/poly_GRAMSCHM.strata" --gpu h200 --cache-control warm -f csv >one.csv
"$strata" predict -q "$data/poly_GRAMSCHM.strata" --gpu h200 --cache-control warm -f csv -j 3 >three.csv
cmp one.csv three.csv
grep -E "dram__sectors_read.sum" one.csv | sed "s/.*dram__/warm dram__/"
"$strata" predict -q "$data/poly_GRAMSCHM.strata" --gpu h200 --cache-control warm --launch-skip 2 -f csv | grep -E "dram__sectors_read.sum" | sed "s/.*dram__/alone dram__/"
