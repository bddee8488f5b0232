/* turns.c - whose access comes next.
 *
 * An instruction takes a turn; a warp's next turn comes after as many cycles as
 * there are running warps for each scheduler. A warp runs on until it has an
 * access to make, or needs data that is not there; only then it goes through the
 * wheel that keeps all SMs in order. */
#include "reuse/turns.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/expect.h"
#include "base/large_pages.h"
#include "memory/bulk_lines.h"
#include "memory/hierarchy.h"
#include "reuse/residents.h"
#include "sm/async_groups.h"
#include "sm/constants_used.h"
#include "sm/fetch.h"
#include "sm/launch_report.h"
#include "sm/sm_inst.h"
#include "sm/warm_code.h"
#include "sm/warp_rules.h"

enum { WHEEL = 8192, NONE = 0, FIRST_REGISTERS = 64 };

/* What every turn reads stands together, so that it can be asked for ahead. */
struct warp {
    struct strata_winst next;
    uint64_t ready, predicate, local_base;
    bool has_next, at_barrier, resting; /* resting: waits for data, takes no turns */
    bool has_copies;                    /* it has used its groups of asynchronous copies */
};

struct turns {
    const struct strata_gpu *gpu;
    struct strata_gpu unlimited; /* the same without limits of bandwidth */
    const struct strata_site_sink *sites;
    const struct turns_memory *memory; /* in place of the hierarchy */
    struct residents r;
    struct hierarchy h;
    struct memory_code code; /* where it lies, on a state */
    struct sm_decoder decoder;
    struct fetch_gpu *fetch;
    struct constants_used constants;
    struct warp *warp;
    struct sm_async *copies; /* each warp's, apart: most kernels have none */
    uint64_t *reg;           /* when each register's value is there: `registers` entries a warp */
    uint32_t *waiting;       /* warps at the barrier, by block place */
    uint32_t *running;       /* warps that take turns, by SM */
    uint64_t *engine_free;   /* when the copy engine takes its next copy, by SM */
    uint32_t *head, *tail, *link; /* warps due in each cycle, index + 1, and the next of each */
    uint32_t registers, n_warps;
    uint64_t now, pending, unknown;
    strata_status status;
    struct strata_error *err;
};

/* ---- the wheel ---- */

static void schedule(struct turns *t, uint32_t index, uint64_t at)
{
    at = at < t->now ? t->now : at >= t->now + WHEEL ? t->now + WHEEL - 1 : at;
    uint32_t slot = (uint32_t)(at % WHEEL);
    t->link[index] = NONE;
    if (t->tail[slot])
        t->link[t->tail[slot] - 1] = index + 1;
    else
        t->head[slot] = index + 1;
    t->tail[slot] = index + 1;
    t->pending++;
}

static uint64_t *registers_of(const struct turns *t, uint32_t index)
{
    return t->reg + (size_t)index * t->registers;
}

/* The warps do not fit into the machine's caches: the registers of the next one are asked for
 * ahead, and the state of the one after it, which names its registers. */
static void expect_turns(const struct turns *t, uint32_t next)
{
    uint32_t after = t->link[next - 1];
    const struct warp *w = &t->warp[next - 1];
    if (w->has_next) {
        const struct sm_inst *i = &t->decoder.inst[w->next.inst_index];
        const uint64_t *reg = registers_of(t, next - 1);
        for (unsigned k = 0; k < i->n_read; k++)
            expect_read(&reg[i->read[k]]);
    }
    if (after) {
        expect_read(&t->warp[after - 1]);
        expect_read((const char *)&t->warp[after - 1] + 64);
    }
}

static bool take_due(struct turns *t, uint32_t *index)
{
    uint32_t slot = (uint32_t)(t->now % WHEEL);
    if (!t->head[slot])
        return false;
    *index = t->head[slot] - 1;
    t->head[slot] = t->link[*index];
    if (!t->head[slot])
        t->tail[slot] = NONE;
    else
        expect_turns(t, t->head[slot]);
    t->pending--;
    return true;
}

static void rest(struct turns *t, uint32_t index, bool resting)
{
    struct warp *w = &t->warp[index];
    if (w->resting != resting)
        t->running[residents_core(&t->r, index)] += resting ? -1u : 1u;
    w->resting = resting;
}

/* ---- warps begin ---- */

/* Registers are numbered by the trace: the tables grow when a block brings a higher one. */
static strata_status widen_registers(struct turns *t, uint32_t registers, struct strata_error *err)
{
    uint64_t *wider = calloc((size_t)t->n_warps * registers, sizeof *wider);
    if (!wider)
        return strata_no_memory(err, NULL, "for the registers of the resident warps");
    large_pages_wish(wider, (size_t)t->n_warps * registers * sizeof *wider);
    for (uint32_t i = 0; t->reg && i < t->n_warps; i++)
        memcpy(wider + (size_t)i * registers, registers_of(t, i), t->registers * sizeof *wider);
    free(t->reg);
    t->reg = wider;
    t->registers = registers;
    return STRATA_OK;
}

static void begin_warp(void *context, uint32_t core, uint32_t index)
{
    struct turns *t = context;
    struct warp *w = &t->warp[index];
    if (t->status == STRATA_OK)
        t->status = sm_decoder_update(&t->decoder, t->err);
    if (t->status == STRATA_OK && t->decoder.max_register + 1 > t->registers)
        t->status = widen_registers(t, (t->decoder.max_register + 1) * 2, t->err);
    memset(registers_of(t, index), 0, t->registers * sizeof *t->reg);
    *w = (struct warp){.local_base = t->r.warp[index].local_base};
    w->has_next = t->status == STRATA_OK && strata_cursor_next(&t->r.warp[index].cursor, &w->next);
    w->ready = t->now + (t->h.count.instructions ? t->gpu->launch.block_replace_cycles : 0);
    t->running[core]++;
    schedule(t, index, w->ready);
}

/* ---- barriers and ends ---- */

static void release_barrier(struct turns *t, uint32_t place)
{
    const struct resident_block *b = &t->r.block[place];
    uint64_t at =
        t->now + (uint64_t)sm_barrier_cycles(t->gpu, b->live_warps, t->decoder.controlled);
    t->waiting[place] = 0;
    for (uint32_t k = 0; k < t->r.warps_per_block; k++) {
        struct warp *w = &t->warp[b->first_warp + k];
        if (!w->at_barrier)
            continue;
        w->at_barrier = false;
        w->ready = at;
        schedule(t, b->first_warp + k, at);
    }
}

static void end_warp(struct turns *t, uint32_t index)
{
    uint32_t place = t->r.warp[index].block;
    rest(t, index, true);
    if (residents_end(&t->r, index)) {
        t->waiting[place] = 0;
        strata_status st = residents_fill(&t->r, begin_warp, t, t->err);
        t->status = t->status == STRATA_OK ? st : t->status;
    } else if (t->waiting[place] && t->waiting[place] == t->r.block[place].live_warps) {
        release_barrier(t, place);
    }
}

/* ---- instructions ---- */

/* A warp's groups of copies, empty when it asks for the first time. */
static struct sm_async *copies_of(struct turns *t, uint32_t index)
{
    if (!t->warp[index].has_copies)
        sm_async_reset(&t->copies[index]);
    t->warp[index].has_copies = true;
    return &t->copies[index];
}

static uint32_t groups_allowed(struct turns *t, uint32_t index)
{
    return sm_async_allowed(copies_of(t, index), t->warp[index].next.inst, t->r.launch->isa);
}

/* When the sources, results and copies an instruction needs are there. */
static uint64_t needed(struct turns *t, uint32_t index, const struct sm_inst *i)
{
    const struct warp *w = &t->warp[index];
    const uint64_t *reg = registers_of(t, index);
    uint64_t at = 0;
    for (unsigned k = 0; k < i->n_read; k++)
        at = later_of(at, reg[i->read[k]]);
    for (unsigned k = 0; k < i->n_write; k++)
        at = later_of(at, reg[i->write[k]]);
    if (i->reads_predicate && w->predicate > at)
        at = w->predicate;
    return i->kind == SM_KIND_WAIT
               ? later_of(at, sm_async_wait(copies_of(t, index), groups_allowed(t, index)))
               : at;
}

static void set_results(struct turns *t, uint32_t index, const struct sm_inst *i, uint64_t at)
{
    uint64_t *reg = registers_of(t, index);
    for (unsigned k = 0; k < i->n_write; k++)
        reg[i->write[k]] = at;
    if (i->writes_predicate)
        t->warp[index].predicate = at;
}

/* What the counters gained through one access is that access's doing. */
static void tell_site(const struct turns *t, const struct strata_winst *w,
                      const struct launch_counters *before)
{
    const struct launch_counters *n = &t->h.count;
    struct strata_site_access a = {
        .inst = w->inst, .inst_index = w->inst_index, .lanes = popcount32(w->mask)};
    if (w->inst->space == STRATA_SPACE_SHARED)
        a.bank_conflicts = strata_shared_access(&t->h.coalescer, w).conflicts;
    if (w->inst->memop != STRATA_MEM_STORE) { /* a store pushes out others */
        a.l1_hits = n->ld_hits - before->ld_hits;
        a.l2_reads = n->l2_tex_read - before->l2_tex_read;
        a.l2_hits = n->l2_tex_read_hit - before->l2_tex_read_hit;
        a.dram_reads = n->dram_read - before->dram_read;
    }
    a.sectors = n->ld_sectors + n->st_sectors + n->local_ld_sectors + n->local_st_sectors +
                n->atom_sectors + n->red_sectors;
    a.sectors -= before->ld_sectors + before->st_sectors + before->local_ld_sectors +
                 before->local_st_sectors + before->atom_sectors + before->red_sectors;
    t->sites->access(t->sites->context, &a);
}

/* When the data of an access is there. Shared memory holds up nobody here: passes over its banks
 * cost time of the load/store unit, and this model has no clock for them. */
static uint64_t data_ready(struct turns *t, uint32_t index, const struct sm_inst *i, uint64_t at)
{
    if (i->kind == SM_KIND_SHARED)
        return at + t->gpu->shared.latency_cycles;
    const struct warp *w = &t->warp[index];
    if (t->memory)
        return t->memory->access(t->memory->context, residents_core(&t->r, index), &w->next,
                                 w->local_base, at);
    return hierarchy_access(&t->h, residents_core(&t->r, index), &w->next, w->local_base, at);
}

/* An access to memory; returns when its data is there. */
static uint64_t access_memory(struct turns *t, uint32_t index, const struct sm_inst *i, uint64_t at)
{
    const struct strata_winst *w = &t->warp[index].next;
    count_memory_instruction(&t->h.count, w->inst);
    t->h.now = later_of(t->h.now, at);
    if (!t->sites)
        return data_ready(t, index, i, at);
    struct launch_counters before = t->h.count;
    uint64_t done = data_ready(t, index, i, at);
    tell_site(t, w, &before);
    return done;
}

/* A bulk copy: the SM's engine takes one after the other, at the rate its bytes come in by.
 * Barriers in shared memory are not waited at: what a launch reads does not depend on them, and how
 * many SMs ask for a line at the same time only a little. Returns when the engine is free again. */
static uint64_t copy_bulk(struct turns *t, uint32_t index, uint64_t at)
{
    uint32_t core = residents_core(&t->r, index);
    struct strata_bulk bulk;
    t->h.count.tma_instructions += t->warp[index].next.mask != 0;
    if (!bulk_of_winst(&t->warp[index].next, &bulk))
        return at;
    double rate = t->gpu->sm.tma_bytes_per_cycle;
    uint64_t start = later_of(at, t->engine_free[core]);
    t->h.now = later_of(t->h.now, start);
    if (!t->memory) /* who only looks at accesses has no caches that copies go through */
        hierarchy_bulk_copy(&t->h, core, &bulk, start);
    t->engine_free[core] = start + (rate > 0 ? (uint64_t)(bulk.bytes / rate) : 0);
    return t->engine_free[core];
}

static uint64_t do_async(struct turns *t, uint32_t index, const struct sm_inst *i, uint64_t at)
{
    const struct strata_inst *inst = t->warp[index].next.inst;
    set_results(t, index, i, at + i->latency);
    if (inst->opclass == STRATA_OP_BULK)
        return copy_bulk(t, index, at);
    t->h.count.tma_instructions +=
        inst->opclass == STRATA_OP_BULK_COMMIT && t->warp[index].next.mask;
    t->h.count.tensor_instructions += inst->opclass == STRATA_OP_WGMMA;
    return at;
}

/* Returns when the warp goes on. */
static uint64_t execute(struct turns *t, uint32_t index, const struct sm_inst *i, uint64_t at)
{
    struct warp *w = &t->warp[index];
    if (i->kind == SM_KIND_CONSTANT)
        constants_note(&t->constants, t->gpu, &w->next);
    switch (i->kind) {
    case SM_KIND_GLOBAL:
    case SM_KIND_SHARED: {
        uint64_t done = access_memory(t, index, i, at);
        if (w->next.inst->memop == STRATA_MEM_ASYNC_COPY)
            sm_async_arrive(&copies_of(t, index)->open, done);
        else
            set_results(t, index, i, done);
        break;
    }
    case SM_KIND_COMMIT:
        sm_async_commit(copies_of(t, index));
        break;
    case SM_KIND_WAIT:
        sm_async_drop(copies_of(t, index), groups_allowed(t, index));
        break;
    case SM_KIND_MEMBAR:
        if (!t->memory)
            hierarchy_flush(&t->h, residents_core(&t->r, index), at);
        break;
    case SM_KIND_ASYNC:
        return do_async(t, index, i, at);
    default:
        set_results(t, index, i, at + i->latency);
    }
    return at;
}

/* A warp's turn: runs on to its next access. */
static void run_warp(struct turns *t, uint32_t index)
{
    struct warp *w = &t->warp[index];
    uint32_t core = residents_core(&t->r, index),
             schedulers = t->gpu->sm.schedulers ? t->gpu->sm.schedulers : 1;
    if (w->ready > t->now) { /* was beyond the wheel's reach */
        schedule(t, index, w->ready);
        return;
    }
    rest(t, index, false);
    const struct strata_cursor *cursor = &t->r.warp[index].cursor; /* read after the first turn */
    expect_read(cursor);
    expect_read((const char *)cursor + 64);
    uint64_t at = t->now;
    while (w->has_next && t->status == STRATA_OK) {
        const struct sm_inst *i = &t->decoder.inst[w->next.inst_index];
        uint64_t need = needed(t, index, i),
                 turn = (t->running[core] + schedulers - 1) / schedulers;
        at = need > at ? need : at;
        /* accesses, barriers and long waits go through the wheel so that all SMs stay in order */
        if (at > t->now && (i->kind == SM_KIND_GLOBAL || i->kind == SM_KIND_ASYNC ||
                            i->kind == SM_KIND_BARRIER || at > t->now + 64)) {
            rest(t, index, need > t->now + 64);
            w->ready = at;
            schedule(t, index, at);
            return;
        }
        t->h.count.instructions++;
        count_flops(&t->h.count, sm_inst_flops(i), w->next.mask);
        t->unknown += w->next.inst->opclass == STRATA_OP_OTHER;
        fetch_note(t->fetch, i->fetch_line);
        at = execute(t, index, i, at);
        bool barrier = i->kind == SM_KIND_BARRIER && w->next.mask;
        w->has_next = strata_cursor_next(&t->r.warp[index].cursor, &w->next);
        at += turn ? turn : 1;
        if (barrier && w->has_next) {
            uint32_t place = t->r.warp[index].block;
            w->at_barrier = true;
            rest(t, index, true);
            if (++t->waiting[place] == t->r.block[place].live_warps)
                release_barrier(t, place);
            return;
        }
    }
    end_warp(t, index);
}

/* ---- a launch ---- */

/* No clock: of the limits those are kept on which it depends what meets on its way. They are the
 * rate of DRAM, the rates at which misses and stores leave an L1 with the misses that join before,
 * and DRAM's refresh: SMs that read the same lines in a loop drift apart by what some of them wait
 * for it, and would share nearly every answer without. Latencies stay, so that data on its way can
 * be told from data that is there. */
static void lift_limits(struct strata_gpu *g)
{
    g->l1.mshrs = 0;
    g->l1.texture_read_cycles = 0;
    g->xbar.request_bytes_per_cycle_per_sm = g->xbar.response_bytes_per_cycle_per_sm = 0;
    g->xbar.total_bytes_per_cycle = 0;
    g->l2.bytes_per_cycle_per_slice = g->l2.fabric_bytes_per_cycle = 0;
    g->l2.request_cycles = g->l2.partial_write_cycles = g->l2.partial_fill_cycles = 0;
    g->l2.overtaken_cycles = g->l2.overtaken_sector_cycles = 0;
    g->l2.write_flit_cycles = g->l2.clean_hold_cycles = 0;
    g->l2.atomic_cycles = g->l2.atomic_whole_cycles = 0;
    g->dram.row_miss_cycles = 0;
    g->tlb.enabled = false;
}

static strata_status prepare(struct turns *t, struct strata_reader *reader,
                             const struct strata_model_options *opt, struct strata_error *err)
{
    struct residents_options placing = {0};
    strata_status st = residents_init(&t->r, t->gpu, reader, &placing, err);
    if (st != STRATA_OK)
        return st;
    sm_decoder_init(&t->decoder, t->gpu, strata_reader_code(reader), t->r.launch->isa);
    size_t places = (size_t)t->r.n_cores * t->r.places;
    t->n_warps = (uint32_t)(places * t->r.warps_per_block);
    t->fetch = calloc(1, sizeof *t->fetch);
    t->warp = calloc(t->n_warps, sizeof *t->warp);
    large_pages_wish(t->warp, t->n_warps * sizeof *t->warp);
    t->copies = calloc(t->n_warps, sizeof *t->copies);
    t->waiting = calloc(places, sizeof *t->waiting);
    t->running = calloc(t->r.n_cores, sizeof *t->running);
    t->engine_free = calloc(t->r.n_cores, sizeof *t->engine_free);
    t->link = calloc(t->n_warps, sizeof *t->link);
    t->head = calloc(WHEEL, sizeof *t->head);
    t->tail = calloc(WHEEL, sizeof *t->tail);
    if (!t->fetch || !t->warp || !t->copies || !t->link || !t->waiting || !t->running ||
        !t->engine_free || !t->head || !t->tail)
        return strata_no_memory(err, NULL, "for the resident warps of a launch");
    if ((st = widen_registers(t, FIRST_REGISTERS, err)) != STRATA_OK)
        return st;
    fetch_gpu_init(t->fetch, t->gpu);
    t->unlimited = *t->gpu;
    lift_limits(&t->unlimited);
    if (t->memory)
        return STRATA_OK;
    st = hierarchy_init(&t->h, &t->unlimited, t->r.launch, t->r.occupancy.l1_bytes, opt->seed,
                        opt->state, err);
    if (st == STRATA_OK && opt->state)
        st = warm_code_find(&t->h, opt->state, t->r.launch, t->fetch, &t->code, err);
    return st;
}

static void release(struct turns *t)
{
    free(t->reg);
    free(t->fetch);
    free(t->warp);
    free(t->copies);
    free(t->waiting);
    free(t->running);
    free(t->engine_free);
    free(t->link);
    free(t->head);
    free(t->tail);
    hierarchy_release(&t->h);
    sm_decoder_release(&t->decoder);
    residents_release(&t->r);
    free(t);
}

static void report(struct turns *t, bool warm, struct strata_result *out)
{
    const struct strata_launch *l = t->r.launch;
    uint32_t sector = t->gpu->l2.cache.sector_bytes;
    fetch_note_unrun_lines(t->fetch, t->decoder.inst, t->decoder.n);
    struct code_lines code = {t->fetch->n_used, t->fetch->n_far, strata_launch_blocks(l)};
    t->h.count.other = sm_other_sectors(t->gpu, code, warm, SM_PROFILER_SECTOR_BYTES);
    sm_add_constants(t->gpu, &t->constants, strata_launch_blocks(l), SM_PROFILER_SECTOR_BYTES,
                     &t->h.count.other);
    launch_counters_report(&t->h.count, COUNTED_INSTRUCTIONS | COUNTED_FLOPS,
                           SM_PROFILER_SECTOR_BYTES, out);
    if (t->h.count.tensor_instructions || t->h.count.tma_instructions)
        launch_counters_report(&t->h.count,
                               COUNTED(tensor_instructions) | COUNTED(tma_instructions),
                               SM_PROFILER_SECTOR_BYTES, out);
    launch_counters_report(&t->h.count, COUNTED_L1 | COUNTED_L2 | COUNTED_DRAM, sector, out);
    strata_result_detail(out, "coalescer.merged_sectors",
                         packet_sectors(t->h.count.merged_sectors, sector));
    sm_report_launch(l, &t->r.occupancy, out);
    if (t->unknown)
        strata_result_warn(out,
                           "%llu warp instructions have an opcode this build does not know; they "
                           "were taken for arithmetic.",
                           (unsigned long long)t->unknown);
}

static strata_status run_all(struct turns *t)
{
    uint32_t index;
    strata_status st = residents_fill(&t->r, begin_warp, t, t->err);
    t->status = t->status == STRATA_OK ? st : t->status;
    for (; t->status == STRATA_OK && t->pending; t->now++)
        while (t->status == STRATA_OK && take_due(t, &index))
            run_warp(t, index);
    return t->status;
}

static struct turns *create(const struct strata_gpu *gpu, struct strata_error *err)
{
    struct turns *t = calloc(1, sizeof *t);
    if (!t) {
        strata_no_memory(err, NULL, "for a launch");
        return NULL;
    }
    t->gpu = gpu;
    t->err = err;
    return t;
}

strata_status turns_visit(const struct strata_gpu *gpu, struct strata_reader *reader,
                          const struct turns_memory *memory, struct strata_error *err)
{
    const struct strata_model_options opt = {0};
    struct turns *t = create(gpu, err);
    if (!t)
        return STRATA_ENOMEM;
    t->memory = memory;
    strata_status st = prepare(t, reader, &opt, err);
    if (st == STRATA_OK)
        st = run_all(t);
    release(t);
    return st;
}

strata_status turns_run(const struct strata_gpu *gpu, struct strata_reader *reader,
                        const struct strata_model_options *opt, struct strata_result *out,
                        struct strata_error *err)
{
    struct turns *t = create(gpu, err);
    if (!t)
        return STRATA_ENOMEM;
    strata_status st = prepare(t, reader, opt, err);
    t->h.dram = opt->dram;
    t->sites = opt->sites;
    if (st == STRATA_OK)
        st = run_all(t);
    if (st == STRATA_OK) {
        for (uint32_t s = 0; s < t->h.n_sms; s++)
            hierarchy_drain(&t->h, s);
        report(t, opt->state, out);
        if (opt->state)
            st = hierarchy_end(&t->h, opt->state, &t->code, fetch_lines(t->fetch), err);
    }
    release(t);
    return st;
}
