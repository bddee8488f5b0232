mkdir -p root/usr/bin
PATH=/usr/bin $strata doctor --root root | grep -v -e ^ok
