printf "l1.ways=4 l1.size=64KiB\n# a comment\nl1.ways=8\n" >p.txt
"$strata" sweep "$data"/traces/again --gpu h200 --model coalesce --points p.txt --metric smsp__inst_executed.sum | tail -2
