"$strata" sweep "$data"/rod_bfs.strata --gpu h200 --model coalesce --vary l1.ways=4,8,3 --rank l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum --metric smsp__inst_executed.sum
