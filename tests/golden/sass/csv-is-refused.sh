"$strata" sass "$data/sass/small90.cubin" -f csv
