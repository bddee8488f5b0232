"$strata" predict "$data"/h200.strata --gpu h200 --model learned -k regex:distribution_elementwise -f csv | cut -d, -f1-3,5
"$strata" learn evaluate "$data"/h200.strata --gpu h200 -k regex:distribution_elementwise
