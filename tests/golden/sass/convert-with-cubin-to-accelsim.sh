cp -r "$data/sass/small-trace" trace
"$strata" convert -q trace --cubin "$data/sass/small90.cubin" folder
