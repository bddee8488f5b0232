/* model_coalesce.c - counts that follow from the trace and the GPU's limits alone: instructions,
 * requests, sectors, bank conflicts, occupancy. How the profiler counts each is in docs/metrics.md.
 */
#include "predict/model_coalesce.h"

#include <stdlib.h>
#include <string.h>

#include <strata/coalesce.h>
#include <strata/place.h>

#include "base/bits.h"
#include "memory/access_counts.h"
#include "memory/l2_rules.h"
#include "predict/special_registers.h"
#include "sm/launch_report.h"
#include "sm/wgmma_rules.h"

struct run {
    const struct strata_gpu *gpu;
    const struct strata_launch *launch;
    struct strata_coalescer coalescer;
    struct launch_counters n;
    uint64_t block_barriers, async_copies;
    uint64_t wgmma_wavefronts; /* of warpgroups, counted by each of their four warps */
    struct special_registers special;
    struct strata_cursor cursor;
    bool is_sass;
};

static void count_requests(struct run *run, const struct strata_winst *w)
{
    struct strata_request request[STRATA_MAX_REQUESTS];
    unsigned n = strata_coalesce(&run->coalescer, w, 0, request);
    if (n)
        count_access(&run->n, w->inst,
                     l1_counted_sectors(w, request, n, run->launch->isa == STRATA_ISA_PTX), 0);
}

/* An instruction without an active lane still takes one pass of the data stage, and the profiler
 * books it under shared memory, whatever its space. */
static void count_memory(struct run *run, const struct strata_winst *w)
{
    const struct strata_inst *i = w->inst;
    run->n.lsu_instructions++;
    run->async_copies += i->memop == STRATA_MEM_ASYNC_COPY;
    count_memory_instruction(&run->n, i);
    if (!w->mask) {
        run->n.shared_wavefronts++;
    } else if (i->space == STRATA_SPACE_SHARED) {
        struct strata_shared_cost cost = strata_shared_access(&run->coalescer, w);
        run->n.shared_wavefronts += cost.wavefronts;
        run->n.shared_conflicts += cost.conflicts;
    } else {
        count_requests(run, w);
    }
}

/* Of the four instructions of a fence, MEMBAR and CCTL.IVALL (probe stage_probe.cu: fence_cta 1,
 * fence_gl 2, load_acquire 1, atom_acq_rel 2 a fence). */
static unsigned fence_wavefronts(const struct strata_inst *i)
{
    /* device/hopper: 15 passes besides the products in a block of gemm.cu with 4 barriers as with
     * 8, 4 in one of copy.cu: initialising barriers takes none, the fence behind it two */
    if (!strncmp(i->opcode, "FENCE.VIEW.ASYNC", 16))
        return 2;
    return !strncmp(i->opcode, "MEMBAR", 6) || !strncmp(i->opcode, "CCTL.IVALL", 10);
}

static void count_instruction(struct run *run, const struct strata_winst *w)
{
    run->n.instructions++;
    switch (w->inst->opclass) {
    case STRATA_OP_MEM:
        count_memory(run, w);
        break;
    case STRATA_OP_SHUFFLE:
        run->n.lsu_instructions++;
        run->n.shared_wavefronts++;
        break;
    case STRATA_OP_MEMBAR:
        run->n.shared_wavefronts += fence_wavefronts(w->inst);
        break;
    case STRATA_OP_ASYNC_COMMIT:
        run->n.lsu_instructions++;
        break;
    case STRATA_OP_WGMMA:
        run->n.tensor_instructions++;
        run->wgmma_wavefronts += wgmma_wavefronts(run->gpu, strata_wgmma_unpack(w->inst->imm));
        break;
    case STRATA_OP_BULK:
    case STRATA_OP_BULK_COMMIT:
        run->n.tma_instructions += w->mask != 0;
        break;
    default:
        break;
    }
}

static strata_status count_warp(struct run *run, const struct strata_block *block, uint32_t warp,
                                uint64_t *barriers, struct strata_error *err)
{
    struct strata_winst w;
    strata_status status = strata_cursor_init(&run->cursor, block, warp, err);
    if (status != STRATA_OK)
        return status;
    *barriers = 0;
    special_registers_begin_warp(&run->special);
    while (strata_cursor_next(&run->cursor, &w)) {
        count_instruction(run, &w);
        *barriers += w.inst->opclass == STRATA_OP_BARRIER;
        status = special_registers_see(&run->special, &w, err);
        if (status != STRATA_OK)
            return status;
    }
    return STRATA_OK;
}

static strata_status count_block(struct run *run, const struct strata_block *block,
                                 struct strata_error *err)
{
    uint64_t most = 0, barriers;
    for (uint32_t warp = 0; warp < block->n_warps; warp++) {
        strata_status status = count_warp(run, block, warp, &barriers, err);
        if (status != STRATA_OK)
            return status;
        most = barriers > most ? barriers : most;
    }
    run->block_barriers += most;
    return STRATA_OK;
}

static strata_status count_launch(struct run *run, struct strata_reader *reader,
                                  struct strata_error *err)
{
    for (;;) {
        struct strata_block *block;
        strata_status status = strata_reader_next(reader, &block, err);
        if (status == STRATA_END)
            return STRATA_OK;
        if (status != STRATA_OK)
            return status;
        status = count_block(run, block, err);
        strata_block_destroy(block);
        if (status != STRATA_OK)
            return status;
    }
}

#define COUNTED_CELLS                                                                              \
    (COUNTED(global_ld) | COUNTED(global_st) | COUNTED(global_atom) | COUNTED(global_red) |        \
     COUNTED(local_ld) | COUNTED(local_st) | COUNTED(shared_ld) | COUNTED(shared_st) |             \
     COUNTED(ld_requests) | COUNTED(ld_sectors) | COUNTED(st_requests) | COUNTED(st_sectors) |     \
     COUNTED(atom_requests) | COUNTED(atom_sectors) | COUNTED(red_requests) |                      \
     COUNTED(red_sectors) | COUNTED(local_ld_requests) | COUNTED(local_ld_sectors) |               \
     COUNTED(local_st_requests) | COUNTED(local_st_sectors))

/* The data stage. A barrier of a block and a read of a thread index pass through it too; only SASS
 * says enough to tell. Where asynchronous copies write in shared memory is not in any trace. */
static uint64_t count_pipe(struct run *run)
{
    uint64_t index_reads = special_registers_thread_index_reads(&run->special);
    run->n.lsu_instructions += index_reads;
    run->n.shared_wavefronts += index_reads + run->block_barriers;
    uint64_t counted = run->is_sass ? COUNTED(lsu_instructions) : 0;
    if (run->async_copies)
        return counted;
    return counted | COUNTED(shared_conflicts) | (run->is_sass ? COUNTED(shared_wavefronts) : 0);
}

/* What comes first in the report. */
#define FIRST_ROWS                                                                                 \
    (COUNTED(instructions) | COUNTED(lsu_instructions) | COUNTED(shared_conflicts) |               \
     COUNTED(shared_wavefronts))

static void set_counters(struct run *run, struct strata_result *out)
{
    uint64_t counted = COUNTED(instructions) | count_pipe(run) | COUNTED_CELLS;
    run->n.shared_wavefronts += run->wgmma_wavefronts / 4;
    if (run->n.tensor_instructions || run->n.tma_instructions)
        counted |= COUNTED(tensor_instructions) | COUNTED(tma_instructions);
    /* Operands of products are nearly all of them: what PTX does not tell does not matter then. */
    if (run->wgmma_wavefronts && !run->async_copies)
        counted |= COUNTED(shared_wavefronts);
    launch_counters_report(&run->n, counted & FIRST_ROWS, SM_PROFILER_SECTOR_BYTES, out);
    launch_counters_report(&run->n, counted & ~FIRST_ROWS, SM_PROFILER_SECTOR_BYTES, out);
    if (run->async_copies)
        strata_result_warn(
            out, "the trace does not say where asynchronous copies write in shared memory, so bank "
                 "conflicts and wavefronts are left out.");
}

/* Accel-Sim traces give the sum of static and dynamic shared memory only. */
static bool shared_split_is_known(const struct strata_launch *l)
{
    return l->isa != STRATA_ISA_SASS || l->shared_dynamic_bytes || !l->shared_static_bytes;
}

static void set_launch(const struct strata_gpu *gpu, const struct strata_launch *l,
                       const struct strata_occupancy *o, struct strata_result *out)
{
    sm_report_launch(l, o, out);
    strata_result_set(out, "launch__thread_count",
                      (double)strata_launch_blocks(l) * strata_launch_threads_per_block(l));
    if (shared_split_is_known(l)) {
        strata_result_set(out, "launch__shared_mem_per_block_static", l->shared_static_bytes);
        strata_result_set(out, "launch__shared_mem_per_block_dynamic", l->shared_dynamic_bytes);
    }
    strata_result_set(out, "sm__maximum_warps_per_active_cycle_pct",
                      100.0 * o->blocks_per_sm * o->warps_per_block / gpu->sm.max_warps);
}

static strata_status run_model(const struct strata_gpu *gpu, struct strata_reader *reader,
                               const struct strata_model_options *opt, struct strata_result *out,
                               struct strata_error *err)
{
    struct strata_occupancy occupancy;
    struct run run = {.launch = strata_reader_launch(reader), .gpu = gpu};
    (void)opt;
    run.is_sass = run.launch->isa == STRATA_ISA_SASS;
    strata_coalescer_init(&run.coalescer, gpu, run.launch);
    strata_status status = strata_occupancy_compute(gpu, run.launch, &occupancy, err);
    if (status == STRATA_OK)
        status = count_launch(&run, reader, err);
    if (status == STRATA_OK) {
        set_counters(&run, out);
        set_launch(gpu, run.launch, &occupancy, out);
    }
    special_registers_release(&run.special);
    strata_cursor_release(&run.cursor);
    return status;
}

const struct strata_model strata_model_coalesce = {
    .name = "coalesce",
    .summary = "exact counts of instructions, requests, sectors and occupancy; no caches, no time",
    .run = run_model,
    .follows_bulk = true,
};
