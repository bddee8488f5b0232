"$strata" info -f json --launch-count 2 "$data/rod_bfs.strata"
