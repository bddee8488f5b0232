"$strata" learn generate --trace 4,128 -o visit.strata
"$strata" reuse visit.strata --gpu h200 -f csv | grep -E ",(accesses|first),"
"$strata" check visit.strata
