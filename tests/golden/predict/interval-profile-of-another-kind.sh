echo "{\"format\": \"strata.profiles/1\", \"model\": \"sim\", \"profiles\": []}" >p.json
"$strata" predict "$data"/rod_bfs.strata --gpu h200 --model interval --profile p.json
