sed "s/\"40,960\"/\"n\\/a\"/; s/\"4,096\"/\"\"/" "$data"/correlate/ncu_details.csv >t.csv
"$strata" correlate --measured t.csv "$data"/correlate/flow.json --metric smsp__inst_executed.sum --metric l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum --format csv
