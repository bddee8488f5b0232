"$strata" sass "$data/sass/small90.cubin" -k says -o listing.txt && head -3 listing.txt && ls
