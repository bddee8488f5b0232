"$strata" predict "$data"/traces/again --gpu h2000 --model coalesce 2>err; code=$?
sed "s/ in .* (did/ in ... (did/" err >&2
exit $code
