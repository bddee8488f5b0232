"$strata" predict some.strata --gpu h200 --model oracle 2>err; code=$?
sed 's/there are: .*/there are: .../' err >&2
exit $code
