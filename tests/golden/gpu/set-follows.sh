# A size set by hand is the size of the L1, whatever shared memory takes; and lists of SMs follow their number.
"$strata" gpu show h200 --set l1.size=64KiB | grep -E "^  (l1.size|l1.unified|l1.carveouts) "
"$strata" gpu show h200 --set sm.count=4 | grep -E "^  (sm.count|launch.order|launch.singles|launch.gpc_of_sm) "
"$strata" gpu show h200 --set sm.count=134 | grep -cE "132-133"
