# A reader that goes away, and a full disk, are errors with a message.
$strata gpu show h200 >/dev/full
echo "exit $?"
