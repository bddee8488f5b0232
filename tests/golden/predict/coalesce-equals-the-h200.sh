# What the profiler counted on an H200 for the first launch of rod_lud, of what this model predicts.
"$strata" predict "$data/accelsim/rod_lud" --gpu h200 --model coalesce --format csv -q >prediction.csv
cat >measured.csv <<END
program,kernel,trace,smsp__inst_executed.sum,sm__inst_executed_pipe_lsu.sum,smsp__inst_executed_op_global_ld.sum,smsp__inst_executed_op_global_st.sum,smsp__inst_executed_op_shared_ld.sum,smsp__inst_executed_op_shared_st.sum,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,launch__shared_mem_config_size,launch__occupancy_limit_registers,launch__occupancy_limit_shared_mem,launch__occupancy_limit_warps,launch__occupancy_limit_blocks
rod_lud,_Z12lud_diagonalPfii,kernel-1.traceg.xz,2500,841,16,15,549,260,16,32,30,562,1403,65536,64,32,64,32
END
"$strata" correlate --measured measured.csv prediction.csv -q --exact smsp__inst_executed.sum \
    --exact sm__inst_executed_pipe_lsu.sum --exact l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum \
    --exact l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum --exact launch__shared_mem_config_size \
    --exact l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum --exact l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
