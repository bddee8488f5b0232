for c in paper authors; do "$strata" predict "$data"/rod_bfs.strata --gpu pascal-mdm --model interval --variant mdm --compat $c -f json -q |
    grep -o "\"overrides.*\]\|\"sm__cycles_elapsed.max\": [0-9]*"; done
