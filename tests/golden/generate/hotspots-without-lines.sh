"$strata" hotspots "$data/rod_lud.strata" --gpu h200 --by line -c 1 -o out.txt; code=$?
ls
exit $code
