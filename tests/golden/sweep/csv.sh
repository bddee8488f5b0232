"$strata" sweep "$data"/traces/again --gpu h200 --model coalesce --vary l1.ways=4..8*2 --metric smsp__inst_executed.sum --pareto smsp__inst_executed.sum,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum --format csv |
    sed -E "s/,[0-9a-f]{16},/,HASH,/"
