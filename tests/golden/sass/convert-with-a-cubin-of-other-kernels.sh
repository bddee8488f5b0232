cp -r "$data/sass/small-trace" trace
sed "s#-kernel name = small#-kernel name = other#" "$data/sass/small-trace/kernel-1.traceg" >trace/kernel-1.traceg
"$strata" convert -q trace --cubin "$data/sass/small90.cubin" with.strata
