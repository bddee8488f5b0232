"$strata" predict "$data"/traces --gpu h200 --model coalesce --kernel-name "regex:(" 2>err; code=$?
cut -c1-60 err >&2
exit $code
