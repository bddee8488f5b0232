# digits beyond the third depend on the machine's matrix products
"$strata" predict "$data"/poly_GRAMSCHM.strata --gpu h200 --model learned -f csv | cut -d, -f1-3,5-9 | awk -F, '$6 ~ /^[0-9.]+$/ { $6 = sprintf("%.1f", $6) } { print }'
