# Launches of a recorded program one after another, and that two threads give the bytes of one.
"$strata" timeline "$data/poly_GRAMSCHM.strata" --gpu h200 -q --format csv >one.csv
"$strata" timeline "$data/poly_GRAMSCHM.strata" --gpu h200 -q --format csv -j 2 >two.csv
cmp one.csv two.csv
"$strata" timeline "$data/poly_GRAMSCHM.strata" --gpu h200 -q | tail -n 3
head -n 2 one.csv
