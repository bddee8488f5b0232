head -c 3000 "$data/sass/small90.cubin" >cut.cubin
"$strata" sass cut.cubin
