echo "{\"format\": \"strata.profiles/1\", \"model\": \"interval\", \"profiles\": [{\"launch\": \"a\", \"profile\": {}}]}" >p.json
"$strata" predict "$data"/rod_bfs.strata --gpu h200 --model interval --profile p.json
