"$strata" sweep "$data"/traces/again --gpu h200 --model coalesce --points nowhere.txt
