"$strata" sass "$data/sass/small75.cubin" -k says -f json
