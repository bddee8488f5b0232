cp -r "$data/sass/small-trace" trace
"$strata" convert -q trace --cubin "$data/sass/small.fatbin" --cubin "$data/sass/small90.cubin" with.strata && "$strata" info -q with.strata | head -5 && "$strata" info -q -f json with.strata | grep -o "\"code_arch.*"
"$strata" convert trace --cubin "$data/sass/small90.cubin" with.strata
