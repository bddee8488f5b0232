"$strata" sweep "$data"/rod_bfs.strata --gpu h200 --model coalesce --vary l1.ways=4,3 --metric smsp__inst_executed.sum --rank smsp__inst_executed.sum:max --each-launch -f json |
    sed -E "s/\"[0-9a-f]{16}\"/\"HASH\"/g"
