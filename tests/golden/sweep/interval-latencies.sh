"$strata" sweep "$data"/rod_bfs.strata --gpu h200 --model interval --vary l2.hit=200,250 sm.count=66,132 --rank sm__cycles_elapsed.max | awk "{print \$1, \$3, \$4}"
