cp -r "$data/sass/small-trace" trace
sed "s#0010 ffffffff 1 R9 S2R 0 0#0010 ffffffff 1 R9 IMAD.WIDE 0 0#" "$data/sass/small-trace/kernel-1.traceg" >trace/kernel-1.traceg
"$strata" convert -q trace --cubin "$data/sass/small90.cubin" with.strata
code=$?
ls
exit $code
