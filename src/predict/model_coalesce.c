/* model_coalesce.c - counts that follow from the trace and the GPU's limits alone: instructions,
 * requests, sectors, bank conflicts, occupancy. How the profiler counts each is in docs/metrics.md.
 */
#include "predict/model_coalesce.h"

#include <stdlib.h>
#include <string.h>

#include <strata/coalesce.h>
#include <strata/place.h>

#include "predict/special_registers.h"
#include "sm/launch_report.h"

struct counts {
    uint64_t inst;
    uint64_t inst_of[STRATA_N_SPACE][STRATA_N_MEMOP]; /* executed, also with no lane active */
    uint64_t requests[STRATA_N_SPACE][STRATA_N_MEMOP];
    uint64_t sectors[STRATA_N_SPACE][STRATA_N_MEMOP];
    uint64_t lsu;        /* instructions of the load/store pipe */
    uint64_t wavefronts; /* of its data stage that the profiler books under shared memory */
    uint64_t conflicts;
    uint64_t block_barriers;
    uint64_t async_copies;
};

struct run {
    const struct strata_launch *launch;
    struct strata_coalescer coalescer;
    struct counts n;
    struct special_registers special;
    struct strata_cursor cursor;
    bool is_sass;
};

/* Which row of the profiler's tables an access to memory belongs to: asynchronous copies are loads,
 * those that go around the L1 too (the suite's sgemm_blocked, all cp.async.cg, counts 9216 requests
 * and 147456 missed sectors on an H200: every one of its copies). */
static unsigned counted_as(const struct strata_inst *i)
{
    return i->memop == STRATA_MEM_ASYNC_COPY ? STRATA_MEM_LOAD : i->memop;
}

static void count_requests(struct run *run, const struct strata_winst *w)
{
    struct strata_request request[STRATA_MAX_REQUESTS];
    unsigned n = strata_coalesce(&run->coalescer, w, 0, request);
    unsigned op = counted_as(w->inst);
    run->n.requests[w->inst->space][op] += n > 0;
    run->n.sectors[w->inst->space][op] += strata_count_sectors(request, n);
}

/* The profiler has a counter of its own for matrix loads, they are not in that of shared loads. */
static bool is_matrix_load(const struct strata_inst *i)
{
    return i->space == STRATA_SPACE_SHARED && !strncmp(i->opcode, "LDSM", 4);
}

/* An instruction without an active lane still takes one pass of the data stage, and the profiler
 * books it under shared memory, whatever its space. */
static void count_access(struct run *run, const struct strata_winst *w)
{
    const struct strata_inst *i = w->inst;
    run->n.lsu++;
    run->n.async_copies += i->memop == STRATA_MEM_ASYNC_COPY;
    if (!(i->hints & STRATA_HINT_GENERIC) && !is_matrix_load(i))
        run->n.inst_of[i->space][i->memop]++;
    if (!w->mask) {
        run->n.wavefronts++;
    } else if (i->space == STRATA_SPACE_SHARED) {
        struct strata_shared_cost cost = strata_shared_access(&run->coalescer, w);
        run->n.wavefronts += cost.wavefronts;
        run->n.conflicts += cost.conflicts;
    } else {
        count_requests(run, w);
    }
}

static void count_instruction(struct run *run, const struct strata_winst *w)
{
    run->n.inst++;
    switch (w->inst->opclass) {
    case STRATA_OP_MEM:
        count_access(run, w);
        break;
    case STRATA_OP_SHUFFLE:
        run->n.lsu++;
        run->n.wavefronts++;
        break;
    case STRATA_OP_ASYNC_COMMIT:
        run->n.lsu++;
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
    run->n.block_barriers += most;
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

/* Counts that are one cell of the tables above. */
#define CELL(field, what, space, memop)                                                            \
    {                                                                                              \
        offsetof(struct launch_counters, field), COUNTED(field), what, STRATA_SPACE_##space,       \
            STRATA_MEM_##memop                                                                     \
    }
static const struct {
    size_t offset;
    uint64_t counted;
    enum { INSTRUCTIONS, REQUESTS, SECTORS } what;
    uint8_t space, memop;
} cells[] = {
    CELL(global_ld, INSTRUCTIONS, GLOBAL, LOAD),
    CELL(global_st, INSTRUCTIONS, GLOBAL, STORE),
    CELL(global_atom, INSTRUCTIONS, GLOBAL, ATOMIC),
    CELL(global_red, INSTRUCTIONS, GLOBAL, REDUCTION),
    CELL(local_ld, INSTRUCTIONS, LOCAL, LOAD),
    CELL(local_st, INSTRUCTIONS, LOCAL, STORE),
    CELL(shared_ld, INSTRUCTIONS, SHARED, LOAD),
    CELL(shared_st, INSTRUCTIONS, SHARED, STORE),
    CELL(ld_requests, REQUESTS, GLOBAL, LOAD),
    CELL(ld_sectors, SECTORS, GLOBAL, LOAD),
    CELL(st_requests, REQUESTS, GLOBAL, STORE),
    CELL(st_sectors, SECTORS, GLOBAL, STORE),
    CELL(atom_requests, REQUESTS, GLOBAL, ATOMIC),
    CELL(atom_sectors, SECTORS, GLOBAL, ATOMIC),
    CELL(red_requests, REQUESTS, GLOBAL, REDUCTION),
    CELL(red_sectors, SECTORS, GLOBAL, REDUCTION),
    CELL(local_ld_requests, REQUESTS, LOCAL, LOAD),
    CELL(local_ld_sectors, SECTORS, LOCAL, LOAD),
    CELL(local_st_requests, REQUESTS, LOCAL, STORE),
    CELL(local_st_sectors, SECTORS, LOCAL, STORE),
};

static uint64_t fill_cells(const struct counts *n, struct launch_counters *out)
{
    uint64_t counted = 0;
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        const uint64_t(*table)[STRATA_N_MEMOP] = cells[i].what == INSTRUCTIONS ? n->inst_of
                                                 : cells[i].what == REQUESTS   ? n->requests
                                                                               : n->sectors;
        *(uint64_t *)((char *)out + cells[i].offset) = table[cells[i].space][cells[i].memop];
        counted |= cells[i].counted;
    }
    return counted;
}

/* The data stage. A barrier of a block and a read of a thread index pass through it too; only SASS
 * says enough to tell. Where asynchronous copies write in shared memory is not in any trace. */
static uint64_t fill_pipe(const struct run *run, struct launch_counters *out)
{
    uint64_t index_reads = special_registers_thread_index_reads(&run->special);
    out->lsu_instructions = run->n.lsu + index_reads;
    out->shared_conflicts = run->n.conflicts;
    out->shared_wavefronts = run->n.wavefronts + index_reads + run->n.block_barriers;
    uint64_t counted = run->is_sass ? COUNTED(lsu_instructions) : 0;
    if (run->n.async_copies)
        return counted;
    return counted | COUNTED(shared_conflicts) | (run->is_sass ? COUNTED(shared_wavefronts) : 0);
}

/* What comes first in the report. */
#define FIRST_ROWS                                                                                 \
    (COUNTED(instructions) | COUNTED(lsu_instructions) | COUNTED(shared_conflicts) |               \
     COUNTED(shared_wavefronts))

static void set_counters(const struct run *run, struct strata_result *out)
{
    struct launch_counters c = {.instructions = run->n.inst};
    uint64_t counted = COUNTED(instructions) | fill_pipe(run, &c) | fill_cells(&run->n, &c);
    launch_counters_report(&c, counted & FIRST_ROWS, SM_PROFILER_SECTOR_BYTES, out);
    launch_counters_report(&c, counted & ~FIRST_ROWS, SM_PROFILER_SECTOR_BYTES, out);
    if (run->n.async_copies)
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
    struct run run = {.launch = strata_reader_launch(reader)};
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
};
