printf "l1.ways=4\nl1.wys=8\n" >p.txt
"$strata" sweep "$data"/traces/again --gpu h200 --model coalesce --points p.txt
