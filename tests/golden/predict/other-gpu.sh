"$strata" predict "$data/rod_lud.strata" --gpu titanv-new -m coalesce -c 1 -f csv | wc -l
"$strata" predict "$data/rod_lud.strata" --gpu titanv-new -m coalesce -c 1 -f csv -q | wc -l
