$strata gpu show h200 --set l1.hitt=3
echo "exit $?"
$strata gpu show h200 --set l1.hit=fast
echo "exit $?"
$strata gpu show h200 --set l1.hit
echo "exit $?"
$strata gpu show h200 --set sm.max_threads=1024
echo "exit $?"
