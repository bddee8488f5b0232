"$strata" correlate --measured "$data"/counters.csv --traces "$data"/rod_bfs.strata
