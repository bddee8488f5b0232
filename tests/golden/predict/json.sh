"$strata" predict "$data"/traces/again --gpu h200 --model coalesce --set l1.hit=40 --seed 7 --format json | sed "s/\"tool\": \"[^\"]*\"/\"tool\": \"...\"/; s/\"metrics\": {.*}/\"metrics\": {...}/"
