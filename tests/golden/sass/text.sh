"$strata" sass "$data/sass/small90a.cubin" --kernel small
