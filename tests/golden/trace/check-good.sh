"$strata" check "$data/rod_lud.strata" "$data/rod_bfs.strata"
