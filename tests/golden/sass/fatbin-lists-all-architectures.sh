"$strata" sass "$data/sass/small.fatbin" | grep kernel
