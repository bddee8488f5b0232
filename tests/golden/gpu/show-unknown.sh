# The installed folder depends on the prefix.
$strata gpu show h2000 2>&1 | sed 's#, /[^ ]*##'
