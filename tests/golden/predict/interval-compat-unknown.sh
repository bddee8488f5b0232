"$strata" predict "$data"/rod_bfs.strata --gpu pascal-mdm --model interval --compat nobody
