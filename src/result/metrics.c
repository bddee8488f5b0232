/* metrics.c - the metrics Strata speaks about: name, unit, how the parts of the GPU are put
 * together, and what is counted.
 *
 * Names are Nsight Compute's. Sectors are 32 bytes. "At the L1" means the tag stage of the combined
 * L1 and texture cache (l1tex__t); "at the L2" means the slices (lts__t). Counting rules that
 * surprise people are said in the definition: an access to a sector that is still on its way is a
 * hit, at both levels. */
#include <string.h>

#include <strata/result.h>

#define SUM    "sum over the units of the GPU"
#define MAX    "largest of the units"
#define AVG    "average over the units"
#define RATIO  "quotient of sums"
#define LAUNCH "property of the launch"

static const struct strata_metric metrics[] = {
    /* time */
    {"gpu__time_duration.sum", "ns", "Time from the start to the end of the launch on the GPU.",
     SUM},
    {"sm__cycles_elapsed.max", "cycle",
     "SM clock cycles from the start to the end of the launch, launch cost included.", MAX},
    {"sm__cycles_elapsed.avg", "cycle", "SM clock cycles from the start to the end of the launch.",
     AVG},
    {"sm__cycles_elapsed.sum", "cycle", "SM clock cycles of the launch, added over the SMs.", SUM},
    {"sm__cycles_active.avg", "cycle", "SM clock cycles during which an SM held at least one warp.",
     AVG},
    {"gpc__cycles_elapsed.avg", "cycle",
     "GPC clock cycles from the start to the end of the launch.", AVG},
    {"gpc__cycles_elapsed.max", "cycle",
     "GPC clock cycles from the start to the end of the launch.", MAX},

    /* instructions */
    {"smsp__inst_executed.sum", "inst", "Warp instructions executed.", SUM},
    {"sm__inst_executed.sum", "inst", "Warp instructions executed.", SUM},
    {"sm__inst_executed_pipe_lsu.sum", "inst", "Warp instructions executed by the load/store pipe.",
     SUM},
    {"sm__inst_executed_pipe_fma.sum", "inst",
     "Warp instructions executed by the pipe of FP32 arithmetic and integer products.", SUM},
    {"sm__inst_executed_pipe_alu.sum", "inst",
     "Warp instructions executed by the pipe of integer, logic and comparison operations.", SUM},
    {"sm__inst_executed_pipe_fp64.sum", "inst", "Warp instructions executed by the FP64 pipe.",
     SUM},
    {"sm__inst_executed_pipe_fp16.sum", "inst",
     "Warp instructions of packed halves executed by their pipe (GPUs before GA10x).", SUM},
    {"sm__inst_executed_pipe_fma_type_fp16.sum", "inst",
     "Warp instructions of packed halves executed by the FMA pipe (GPUs from GA10x on).", SUM},
    {"sm__inst_executed_pipe_xu.sum", "inst",
     "Warp instructions executed by the pipe of special functions and conversions.", SUM},
    {"sm__inst_executed_pipe_tensor.sum", "inst", "Warp instructions executed by the tensor cores.",
     SUM},
    {"sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active", "%",
     "Instructions of the FMA pipe, of those it could begin in active cycles.", AVG},
    {"sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active", "%",
     "Instructions of the ALU pipe, of those it could begin in active cycles.", AVG},
    {"sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active", "%",
     "Instructions of the FP64 pipe, of those it could begin in active cycles.", AVG},
    {"sm__inst_executed_pipe_fp16.avg.pct_of_peak_sustained_active", "%",
     "Instructions of the pipe of packed halves, of those it could begin in active cycles.", AVG},
    {"sm__inst_executed_pipe_fma_type_fp16.avg.pct_of_peak_sustained_active", "%",
     "Packed halves in the FMA pipe, of those it could begin in active cycles.", AVG},
    {"sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active", "%",
     "Instructions of the pipe of special functions, of those it could begin in active cycles.",
     AVG},
    {"sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active", "%",
     "Instructions of the tensor cores, of those they could begin in active cycles.", AVG},
    {"sm__pipe_tensor_cycles_active.sum", "cycle",
     "Cycles in which the tensor cores of the schedulers multiplied; here for warpgroups.", SUM},
    {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "%",
     "Share of active cycles in which the tensor cores multiplied; here for warpgroups.", AVG},
    {"sm__inst_executed_pipe_tma.sum", "inst",
     "Instructions executed by the unit of bulk and tensor copies.", SUM},
    {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "inst",
     "Lanes that executed an FP32 addition.", SUM},
    {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "inst",
     "Lanes that executed an FP32 multiplication.", SUM},
    {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "inst",
     "Lanes that executed a fused FP32 multiplication and addition.", SUM},
    {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", "inst",
     "Lanes that executed an FP64 addition.", SUM},
    {"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", "inst",
     "Lanes that executed an FP64 multiplication.", SUM},
    {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "inst",
     "Lanes that executed a fused FP64 multiplication and addition.", SUM},
    {"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", "inst",
     "Lanes that executed a packed FP16 addition; two operations each.", SUM},
    {"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", "inst",
     "Lanes that executed a packed FP16 multiplication; two operations each.", SUM},
    {"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", "inst",
     "Lanes that executed a packed fused FP16 multiplication and addition; four operations each.",
     SUM},
    {"strata__flop_fp32.sum", "flop", "FP32 operations outside the tensor cores.", SUM},
    {"strata__flop_fp64.sum", "flop", "FP64 operations outside the tensor cores.", SUM},
    {"strata__flop_fp16.sum", "flop", "FP16 operations outside the tensor cores.", SUM},
    {"strata__flop_tensor.sum", "flop",
     "Floating-point operations of the tensor cores: 2 m n k of each product.", SUM},
    {"strata__flop.sum", "flop", "Floating-point operations of all kinds.", SUM},
    {"smsp__inst_executed_op_global_ld.sum", "inst",
     "Warp-level loads from global memory executed.", SUM},
    {"smsp__inst_executed_op_global_st.sum", "inst", "Warp-level stores to global memory executed.",
     SUM},
    {"smsp__inst_executed_op_global_atom.sum", "inst",
     "Warp-level atomics on global memory that return a value.", SUM},
    {"smsp__inst_executed_op_global_red.sum", "inst",
     "Warp-level reductions on global memory (no value returned).", SUM},
    {"smsp__inst_executed_op_local_ld.sum", "inst", "Warp-level loads from local memory executed.",
     SUM},
    {"smsp__inst_executed_op_local_st.sum", "inst", "Warp-level stores to local memory executed.",
     SUM},
    {"smsp__inst_executed_op_shared_ld.sum", "inst",
     "Warp-level loads from shared memory executed.", SUM},
    {"smsp__inst_executed_op_shared_st.sum", "inst", "Warp-level stores to shared memory executed.",
     SUM},
    {"smsp__issue_active.avg.pct_of_peak_sustained_active", "%",
     "Share of active cycles in which a scheduler issued.", AVG},
    {"sm__inst_executed.avg.per_cycle_elapsed", "inst/cycle",
     "Warp instructions executed by an SM in one elapsed cycle.", AVG},
    {"sm__inst_executed.avg.per_cycle_active", "inst/cycle",
     "Warp instructions executed by an SM in one active cycle.", AVG},

    /* L1: global memory */
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "request",
     "Global load requests at the L1, one per warp instruction.", SUM},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector",
     "Sectors asked for by global loads at the L1.", SUM},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "sector",
     "Sectors of global loads that the L1 held or had in flight.", SUM},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum", "sector",
     "Sectors of global loads that the L1 had to ask for.", SUM},
    {"l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", "%",
     "Hit sectors of global loads by all sectors of global loads, at the L1.", RATIO},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "request",
     "Global store requests at the L1, one per warp instruction.", SUM},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sector",
     "Sectors written by global stores at the L1.", SUM},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum", "sector",
     "Sectors of global stores whose tag the L1 held.", SUM},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_miss.sum", "sector",
     "Sectors of global stores whose tag the L1 did not hold.", SUM},
    {"l1tex__t_sector_pipe_lsu_mem_global_op_st_hit_rate.pct", "%",
     "Hit sectors of global stores by all sectors of global stores, at the L1.", RATIO},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "request",
     "Global atomic requests that return a value, at the L1.", SUM},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "sector",
     "Sectors of global atomics that return a value, at the L1.", SUM},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "request",
     "Global reduction requests at the L1.", SUM},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "sector",
     "Sectors of global reductions at the L1.", SUM},
    {"l1tex__t_set_conflicts_pipe_lsu_mem_global_op_ld.sum", "conflict",
     "Extra passes of global loads whose lines fell into one tag set.", SUM},
    {"l1tex__t_sector_hit_rate.pct", "%", "Hit sectors by all sectors looked up at the L1.", RATIO},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "sector/request",
     "Sectors a global load asks for.", RATIO},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio", "sector/request",
     "Sectors a global store writes.", RATIO},

    /* L1: local memory, both ways to the L2 */
    {"l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", "request", "Local load requests at the L1.",
     SUM},
    {"l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", "request", "Local store requests at the L1.",
     SUM},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "sector",
     "Sectors asked for by local loads at the L1.", SUM},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "sector",
     "Sectors written by local stores at the L1.", SUM},
    {"l1tex__m_xbar2l1tex_read_sectors.sum", "sector",
     "Sectors that came back to the L1s from the crossbar.", SUM},
    {"l1tex__m_xbar2l1tex_read_bytes.sum", "byte",
     "Bytes that came back to the L1s from the crossbar.", SUM},
    {"l1tex__m_l1tex2xbar_write_sectors.sum", "sector",
     "Sectors that the L1s wrote to the crossbar.", SUM},
    {"l1tex__m_l1tex2xbar_write_bytes.sum", "byte", "Bytes that the L1s wrote to the crossbar.",
     SUM},

    /* shared memory */
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "conflict",
     "Extra data-stage cycles of shared-memory instructions because lanes met in a bank.", SUM},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "conflict",
     "The same, shared loads only.", SUM},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "conflict",
     "The same, shared stores only.", SUM},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "wavefront",
     "Passes of shared-memory instructions through the data stage.", SUM},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "wavefront",
     "The same, shared loads only.", SUM},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "wavefront",
     "The same, shared stores only.", SUM},

    /* L2, everything: includes the other clients and the traffic between the partitions */
    {"lts__t_sectors.sum", "sector", "Sectors looked up at the L2, all clients.", SUM},
    {"lts__t_sectors_op_read.sum", "sector",
     "Sectors read at the L2, all clients and the partition link.", SUM},
    {"lts__t_sectors_op_write.sum", "sector",
     "Sectors written at the L2, all clients and the partition link.", SUM},
    {"lts__t_sectors_op_read_lookup_hit.sum", "sector",
     "Sectors read at the L2 that were held or in flight, all clients.", SUM},
    {"lts__t_sectors_op_read_lookup_miss.sum", "sector",
     "Sectors read at the L2 that were not there, all clients.", SUM},
    {"lts__t_sectors_op_write_lookup_hit.sum", "sector",
     "Sectors written at the L2 that needed no fetch (an allocating write counts as a hit), all "
     "clients.",
     SUM},
    {"lts__t_sectors_op_write_lookup_miss.sum", "sector",
     "Sectors written at the L2 that missed, all clients.", SUM},
    {"lts__t_sector_hit_rate.pct", "%",
     "Hit sectors by all sectors looked up at the L2, all clients.", RATIO},
    {"lts__t_sector_op_read_hit_rate.pct", "%",
     "Hit sectors by all sectors read at the L2, all clients.", RATIO},
    {"lts__t_sector_op_write_hit_rate.pct", "%",
     "Hit sectors by all sectors written at the L2, all clients.", RATIO},

    /* L2, from the L1s only */
    {"lts__t_requests_srcunit_tex.sum", "request", "Requests that the L1s sent to the L2.", SUM},
    {"lts__t_requests_srcunit_tex_op_read.sum", "request",
     "Read requests that the L1s sent to the L2.", SUM},
    {"lts__t_requests_srcunit_tex_op_write.sum", "request",
     "Write requests that the L1s sent to the L2.", SUM},
    {"lts__t_sectors_srcunit_tex.sum", "sector", "Sectors looked up at the L2 for the L1s.", SUM},
    {"lts__t_sectors_srcunit_tex_op_read.sum", "sector", "Sectors read at the L2 for the L1s.",
     SUM},
    {"lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", "sector",
     "Sectors read at the L2 for the L1s that were held or in flight.", SUM},
    {"lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum", "sector",
     "Sectors read at the L2 for the L1s that were not there, and the other sector of the 64 bytes "
     "that DRAM is read in; so hits and misses can add up to more than the sectors read.",
     SUM},
    {"lts__t_sectors_srcunit_tex_op_read.sum.per_second", "sector/s",
     "Sectors read at the L2 for the L1s in one second.", SUM},
    {"lts__t_sector_srcunit_tex_op_read_hit_rate.pct", "%",
     "Hit sectors by all sectors read at the L2 for the L1s.", RATIO},
    {"lts__t_sectors_srcunit_tex_op_write.sum", "sector", "Sectors written at the L2 by the L1s.",
     SUM},
    {"lts__t_sectors_srcunit_tex_op_write_lookup_hit.sum", "sector",
     "Sectors written at the L2 by the L1s that hit (an allocating write counts as a hit).", SUM},
    {"lts__t_sectors_srcunit_tex_op_write_lookup_miss.sum", "sector",
     "Sectors written at the L2 by the L1s that missed.", SUM},
    {"lts__t_sectors_srcunit_ltcfabric.sum", "sector",
     "Sectors that crossed between the partitions of the L2.", SUM},
    {"lts__t_sectors_srcunit_ltcfabric_op_read.sum", "sector",
     "Sectors read across the link between the partitions of the L2.", SUM},
    {"strata__l2_read_misses.sum", "sector",
     "Sectors read at the L2 for the L1s less those that were hits.", SUM},
    {"strata__l1_merge_rate.pct", "%",
     "Sectors of loads that were in flight to the L1 already, by all sectors of loads.", RATIO},
    {"strata__ipc_sm.avg", "inst/cycle",
     "Warp instructions an SM that has work executes in a cycle.", AVG},
    {"strata__ipc_gpu.avg", "inst/cycle", "Warp instructions the GPU executes in a cycle.", AVG},

    /* DRAM */
    {"dram__sectors_read.sum", "sector", "Sectors read from DRAM.", SUM},
    {"dram__sectors_write.sum", "sector", "Sectors written to DRAM.", SUM},
    {"dram__bytes_read.sum", "byte", "Bytes read from DRAM.", SUM},
    {"dram__bytes_write.sum", "byte", "Bytes written to DRAM.", SUM},
    {"dram__bytes.sum", "byte", "Bytes read from and written to DRAM.", SUM},
    {"dram__bytes_read.sum.per_second", "byte/s", "Bytes read from DRAM in one second.", SUM},
    {"dram__bytes_write.sum.per_second", "byte/s", "Bytes written to DRAM in one second.", SUM},

    /* occupancy and the launch itself */
    {"sm__warps_active.avg.pct_of_peak_sustained_active", "%",
     "Resident warps by the most an SM can hold, over active cycles.", AVG},
    {"sm__maximum_warps_per_active_cycle_pct", "%",
     "Warps the launch's limits allow by the most an SM can hold.", LAUNCH},
    {"launch__grid_size", "block", "Thread blocks of the launch.", LAUNCH},
    {"launch__block_size", "thread", "Threads of a block.", LAUNCH},
    {"launch__thread_count", "thread", "Threads of the launch.", LAUNCH},
    {"launch__registers_per_thread", "register/thread", "Registers allocated to a thread.", LAUNCH},
    {"launch__shared_mem_per_block_static", "byte/block",
     "Shared memory a block has by declaration.", LAUNCH},
    {"launch__shared_mem_per_block_dynamic", "byte/block",
     "Shared memory a block was given at launch.", LAUNCH},
    {"launch__shared_mem_config_size", "byte",
     "Part of the unified memory of an SM set aside for shared memory.", LAUNCH},
    {"launch__occupancy_limit_registers", "block", "Blocks an SM can hold by their registers.",
     LAUNCH},
    {"launch__occupancy_limit_shared_mem", "block", "Blocks an SM can hold by their shared memory.",
     LAUNCH},
    {"launch__occupancy_limit_warps", "block", "Blocks an SM can hold by their warps.", LAUNCH},
    {"launch__occupancy_limit_blocks", "block", "Blocks an SM can hold whatever they need.",
     LAUNCH},
    {"launch__waves_per_multiprocessor", "wave",
     "Blocks of the launch by the blocks the GPU holds at once.", LAUNCH},

    /* why warps wait: warps in that state per issued instruction */
    {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", "warp/issue",
     "Warps waiting for global, local or texture memory.", RATIO},
    {"smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio", "warp/issue",
     "Warps waiting for shared memory or another short variable-latency unit.", RATIO},
    {"smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio", "warp/issue",
     "Warps waiting for room in the queue of local and global instructions.", RATIO},
    {"smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio", "warp/issue",
     "Warps waiting for room in the queue of shared-memory and special instructions.", RATIO},
    {"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", "warp/issue",
     "Warps waiting at a barrier of the block.", RATIO},
    {"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", "warp/issue",
     "Warps waiting for a fixed latency.", RATIO},
    {"smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio", "warp/issue",
     "Warps waiting for an arithmetic pipe.", RATIO},
    {"smsp__average_warps_issue_stalled_membar_per_issue_active.ratio", "warp/issue",
     "Warps waiting at a memory barrier.", RATIO},
    {"smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio", "warp/issue",
     "Warps waiting for their next instruction to be fetched.", RATIO},
    {"smsp__average_warps_issue_stalled_branch_resolving_per_issue_active.ratio", "warp/issue",
     "Warps waiting for the target of a branch.", RATIO},
    {"smsp__average_warps_issue_stalled_sleeping_per_issue_active.ratio", "warp/issue",
     "Warps that sleep (nanosleep).", RATIO},
    {"smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio", "warp/issue",
     "Warps that could have issued while the scheduler took another.", RATIO},
};

const struct strata_metric *strata_metric_table(size_t *n)
{
    *n = sizeof metrics / sizeof metrics[0];
    return metrics;
}

/* Words that people say for a metric of the table. */
static const struct {
    const char *alias, *name;
} aliases[] = {
    {"time", "gpu__time_duration.sum"},
    {"cycles", "sm__cycles_elapsed.max"},
    {"instructions", "smsp__inst_executed.sum"},
    {"l1hit", "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct"},
    {"l2hit", "lts__t_sector_srcunit_tex_op_read_hit_rate.pct"},
    {"l2reads", "lts__t_sectors_srcunit_tex_op_read.sum"},
    {"l2writes", "lts__t_sectors_srcunit_tex_op_write.sum"},
    {"dram", "dram__bytes.sum"},
    {"dramreads", "dram__sectors_read.sum"},
    {"dramwrites", "dram__sectors_write.sum"},
    {"loads", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    {"stores", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
    {"conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
    {"occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"issue", "smsp__issue_active.avg.pct_of_peak_sustained_active"},
};

const char *strata_metric_full_name(const char *word)
{
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (!strcmp(aliases[i].alias, word))
            return aliases[i].name;
    return word;
}

const char *strata_metric_short_name(const char *name)
{
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (!strcmp(aliases[i].name, name))
            return aliases[i].alias;
    return NULL;
}

const struct strata_metric *strata_metric_find(const char *name)
{
    for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++)
        if (!strcmp(metrics[i].name, name))
            return &metrics[i];
    return NULL;
}
