/* launch_counters.h - what models count of a launch, and the metric that each count becomes.
 *
 * One list makes the struct, the names of its bits and the table of metrics. Models count in the
 * units that are natural where they count (sectors of the cache at hand, bytes of a port); the
 * table knows how the profiler counts the same. A model says which counts it has made: what is
 * not among them is left out of the result, never reported as 0. */
#ifndef STRATA_RESULT_LAUNCH_COUNTERS_H
#define STRATA_RESULT_LAUNCH_COUNTERS_H

#include <strata/result.h>

/* X(field, unit, metric); the order is that of the report. Units: EACH, what it says; BYTES,
 * sectors of 32 bytes in the profiler; SECTORS_L2, sectors of the L2, whose size the GPU file has.
 */
#define LAUNCH_COUNTERS(X)                                                                         \
    X(instructions, EACH, "smsp__inst_executed.sum")                                               \
    X(lsu_instructions, EACH, "sm__inst_executed_pipe_lsu.sum")                                    \
    X(pipe_fma, EACH, "sm__inst_executed_pipe_fma.sum")                                            \
    X(pipe_alu, EACH, "sm__inst_executed_pipe_alu.sum")                                            \
    X(pipe_fp64, EACH, "sm__inst_executed_pipe_fp64.sum")                                          \
    X(pipe_fp16, EACH, "sm__inst_executed_pipe_fp16.sum")                                          \
    X(pipe_xu, EACH, "sm__inst_executed_pipe_xu.sum")                                              \
    X(tensor_instructions, EACH, "sm__inst_executed_pipe_tensor.sum")                              \
    X(tma_instructions, EACH, "sm__inst_executed_pipe_tma.sum")                                    \
    X(op_fadd, EACH, "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum")                        \
    X(op_fmul, EACH, "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum")                        \
    X(op_ffma, EACH, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum")                        \
    X(op_dadd, EACH, "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum")                        \
    X(op_dmul, EACH, "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum")                        \
    X(op_dfma, EACH, "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum")                        \
    X(op_hadd, EACH, "smsp__sass_thread_inst_executed_op_hadd_pred_on.sum")                        \
    X(op_hmul, EACH, "smsp__sass_thread_inst_executed_op_hmul_pred_on.sum")                        \
    X(op_hfma, EACH, "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum")                        \
    X(op_tensor, EACH, "strata__flop_tensor.sum")                                                  \
    X(global_ld, EACH, "smsp__inst_executed_op_global_ld.sum")                                     \
    X(global_st, EACH, "smsp__inst_executed_op_global_st.sum")                                     \
    X(global_atom, EACH, "smsp__inst_executed_op_global_atom.sum")                                 \
    X(global_red, EACH, "smsp__inst_executed_op_global_red.sum")                                   \
    X(local_ld, EACH, "smsp__inst_executed_op_local_ld.sum")                                       \
    X(local_st, EACH, "smsp__inst_executed_op_local_st.sum")                                       \
    X(shared_ld, EACH, "smsp__inst_executed_op_shared_ld.sum")                                     \
    X(shared_st, EACH, "smsp__inst_executed_op_shared_st.sum")                                     \
    X(ld_requests, EACH, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")                        \
    X(ld_sectors, EACH, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")                          \
    X(ld_hits, EACH, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum")                  \
    X(ld_misses, EACH, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum")               \
    X(st_requests, EACH, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum")                        \
    X(st_sectors, EACH, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")                          \
    X(st_hits, EACH, "l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum")                  \
    X(atom_requests, EACH, "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum")                    \
    X(atom_sectors, EACH, "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum")                      \
    X(red_requests, EACH, "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum")                      \
    X(red_sectors, EACH, "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum")                        \
    X(local_ld_requests, EACH, "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum")                   \
    X(local_ld_sectors, EACH, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum")                     \
    X(local_st_requests, EACH, "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum")                   \
    X(local_st_sectors, EACH, "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum")                     \
    X(shared_conflicts, EACH, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum")                \
    X(shared_wavefronts, EACH, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum")                   \
    X(to_l1_bytes, BYTES, "l1tex__m_xbar2l1tex_read_sectors.sum")                                  \
    X(from_l1_bytes, BYTES, "l1tex__m_l1tex2xbar_write_sectors.sum")                               \
    X(l2_requests, EACH, "lts__t_requests_srcunit_tex.sum")                                        \
    X(l2_read, SECTORS_L2, "lts__t_sectors_op_read.sum")                                           \
    X(l2_write, SECTORS_L2, "lts__t_sectors_op_write.sum")                                         \
    X(l2_read_hit, SECTORS_L2, "lts__t_sectors_op_read_lookup_hit.sum")                            \
    X(l2_read_miss, SECTORS_L2, "lts__t_sectors_op_read_lookup_miss.sum")                          \
    X(l2_write_hit, SECTORS_L2, "lts__t_sectors_op_write_lookup_hit.sum")                          \
    X(l2_tex_read, SECTORS_L2, "lts__t_sectors_srcunit_tex_op_read.sum")                           \
    X(l2_tex_read_hit, SECTORS_L2, "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum")            \
    X(l2_tex_read_miss, SECTORS_L2, "lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum")          \
    X(l2_tex_write, SECTORS_L2, "lts__t_sectors_srcunit_tex_op_write.sum")                         \
    X(fabric, SECTORS_L2, "lts__t_sectors_srcunit_ltcfabric.sum")                                  \
    X(fabric_read, SECTORS_L2, "lts__t_sectors_srcunit_ltcfabric_op_read.sum")                     \
    X(dram_read, SECTORS_L2, "dram__sectors_read.sum")                                             \
    X(dram_write, SECTORS_L2, "dram__sectors_write.sum")

/* Sums that no metric has; models tell some of them as details. Latencies are cycles, summed over
 * the `lat_requests` requests of loads that left the L1. */
#define LAUNCH_SUMS(X)                                                                             \
    X(left_out)       /* of the instructions: those of PTX that machine code does not have */      \
    X(tensor_cycles)  /* in which the tensor cores of schedulers multiplied for warpgroups */      \
    X(l2_atomic)      /* packets */                                                                \
    X(merged_sectors) /* of the L2's size; answered by the request coalescer */                    \
    X(row_misses)                                                                                  \
    X(tlb_misses)                                                                                  \
    X(lat_requests)                                                                                \
    X(lat_lsu)                                                                                     \
    X(lat_xbar)                                                                                    \
    X(lat_l2)                                                                                      \
    X(lat_fabric)                                                                                  \
    X(lat_dram)

/* clang-format off */
enum launch_counter {
#define X(field, unit, metric) LAUNCH_COUNTER_##field,
    LAUNCH_COUNTERS(X)
#undef X
    N_LAUNCH_COUNTERS
};

/* More than the kernel's data is moved: code, what the front end and the driver need once a launch,
 * and what the card does from time to time. Sectors of 32 bytes, by where they are counted. */
struct other_sectors {
    double dram, l2, l2_hits, fabric, dram_writes, l2_writes;
};

struct launch_counters {
#define X(field, unit, metric) uint64_t field;
    LAUNCH_COUNTERS(X)
#undef X
#define X(field) uint64_t field;
    LAUNCH_SUMS(X)
#undef X
    struct other_sectors other;
};
/* clang-format on */

/* The count of a number of the list. */
static inline uint64_t *launch_counter_at(struct launch_counters *c, enum launch_counter which)
{
    return (uint64_t *)c + which; /* the list comes first in the struct */
}

/* One bit for each count: COUNTED(ld_hits) | COUNTED(ld_sectors). */
#define COUNTED(field) (UINT64_C(1) << LAUNCH_COUNTER_##field)

/* What the models of a whole memory hierarchy count. Of instructions those they treat apart. */
#define COUNTED_INSTRUCTIONS                                                                       \
    (COUNTED(instructions) | COUNTED(global_ld) | COUNTED(global_st) | COUNTED(shared_ld) |        \
     COUNTED(shared_st))
#define COUNTED_FLOPS                                                                              \
    (COUNTED(op_fadd) | COUNTED(op_fmul) | COUNTED(op_ffma) | COUNTED(op_dadd) |                   \
     COUNTED(op_dmul) | COUNTED(op_dfma) | COUNTED(op_hadd) | COUNTED(op_hmul) |                   \
     COUNTED(op_hfma) | COUNTED(op_tensor))
#define COUNTED_L1                                                                                 \
    (COUNTED(ld_requests) | COUNTED(ld_sectors) | COUNTED(ld_hits) | COUNTED(ld_misses) |          \
     COUNTED(st_requests) | COUNTED(st_sectors) | COUNTED(st_hits) | COUNTED(atom_sectors) |       \
     COUNTED(red_sectors) | COUNTED(local_ld_sectors) | COUNTED(local_st_sectors) |                \
     COUNTED(to_l1_bytes) | COUNTED(from_l1_bytes))
#define COUNTED_L2                                                                                 \
    (COUNTED(l2_requests) | COUNTED(l2_read) | COUNTED(l2_write) | COUNTED(l2_read_hit) |          \
     COUNTED(l2_read_miss) | COUNTED(l2_write_hit) | COUNTED(l2_tex_read) |                        \
     COUNTED(l2_tex_read_hit) | COUNTED(l2_tex_read_miss) | COUNTED(l2_tex_write) |                \
     COUNTED(fabric) | COUNTED(fabric_read))
#define COUNTED_DRAM (COUNTED(dram_read) | COUNTED(dram_write))

/* Adds the metrics of the counts in `counted` to *r. Misses of loads are what did not hit, so that
 * no model fills `ld_misses`. l2_sector_bytes: of those that are counted. */
void launch_counters_report(const struct launch_counters *c, uint64_t counted,
                            uint32_t l2_sector_bytes, struct strata_result *r);
/* Every count of *more is added to that of *sum. */
void launch_counters_add(struct launch_counters *sum, const struct launch_counters *more);

#endif
