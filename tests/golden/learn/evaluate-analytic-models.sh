"$strata" learn profile "$data"/rod_lud.strata "$data"/poly_GRAMSCHM.strata --gpu h200 -o x.learn -q
"$strata" learn evaluate x.learn -m timed -m sdcm -m ppt
"$strata" learn evaluate x.learn -m timed -f json >e.json; head -n 2 e.json | cut -c1-52
"$strata" learn evaluate x.learn -m sdcm -f csv -o e.csv; head -n 3 e.csv
