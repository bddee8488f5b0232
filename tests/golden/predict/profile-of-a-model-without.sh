"$strata" predict "$data"/rod_bfs.strata --gpu h200 --model coalesce --profile p.json
