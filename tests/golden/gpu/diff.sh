$strata gpu diff gtx470 gtx470-48k
echo "exit $?"
$strata gpu diff h200 h200
echo "exit $?"
$strata gpu diff gtx470 gtx470-48k --format csv
$strata gpu diff gtx470 gtx470-48k --format json | head -3
