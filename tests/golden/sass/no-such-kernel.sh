"$strata" sass "$data/sass/small90.cubin" -k smal -o listing.txt
code=$?
ls
exit $code
