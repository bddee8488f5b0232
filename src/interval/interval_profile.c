/* interval_profile.c - one pass over a launch: caches by static instruction, the paths of its
 * warps, and the intervals of the warp that stands for all.
 *
 * Warps that take the same path have the same intervals, since latencies belong to static
 * instructions; only the first warp of each path is kept with its block for that. */
#include "interval/interval_profile.h"

#include <stdlib.h>
#include <string.h>

#include <strata/place.h>

#include "base/bits.h"
#include "memory/l1_rules.h"
#include "memory/load_store.h"
#include "sm/async_groups.h"
#include "sm/scoreboard.h"
#include "sm/warp_rules.h"

enum { MERGE_AT = 1 << 20, MAX_PATHS = 20000 };

struct kept_block {
    struct strata_block *data;
    uint32_t users;
};

/* A warp of the wave, or the first warp of a path. */
struct wave_warp {
    struct strata_cursor cursor;
    struct strata_winst next;
    bool live;
    uint32_t block, warp_in_block, sm;
    uint64_t id, hash, local_base;
    uint32_t n_instructions, n_records, cap_records;
    struct front_record *record;
    uint8_t *flag;
};

struct path_warp { /* first warp of a path */
    struct strata_block *block;
    uint32_t warp;
    struct front_record *record;
};

struct reading {
    const struct strata_gpu *gpu;
    struct strata_reader *reader;
    const struct strata_launch *launch;
    struct strata_occupancy occupancy;
    struct strata_coalescer coalescer;
    struct sm_decoder decoder;
    struct front front;
    uint64_t *executed; /* by static instruction */
    uint32_t cap_executed;
    uint32_t *sm_of_block; /* of the blocks of one wave; every wave is placed alike */
    uint64_t wave_blocks;
    struct kept_block *block; /* of the wave */
    uint32_t n_blocks, cap_blocks;
    struct wave_warp *warp;
    uint32_t n_warps, cap_warps;
    uint32_t *first_of_sm; /* warps of the wave by SM: list[first..first of the next) */
    uint32_t *list;
    uint8_t *flags;
    struct path_table paths;
    struct path_warp *first; /* by path.user */
    size_t n_first, cap_first;
    struct strata_block **kept; /* blocks that a path refers to */
    size_t n_kept, cap_kept;
    bool scripts; /* rules of the published scripts */
    bool late;    /* latencies by execution, with data on its way counted as missing */
    uint64_t lsu_cycles, n_warps_all, n_instructions;
    struct strata_error *err;
};

static strata_status no_memory(struct reading *r)
{
    return strata_no_memory(r->err, NULL, "for the interval profile of a launch");
}

double gpu_l2_cycles(const struct strata_gpu *gpu)
{
    double far =
        gpu->l2.partitions > 1 ? gpu->l2.far_extra_cycles * (1 - 1.0 / gpu->l2.partitions) : 0;
    return gpu->l2.hit_cycles + far;
}

double gpu_dram_cycles(const struct strata_gpu *gpu)
{
    return gpu->dram.access_cycles;
}

/* ---- setting up ---- */

static strata_status init_front(struct reading *r, uint64_t seed)
{
    const struct strata_gpu *g = r->gpu;
    struct strata_cache_config l1 = l1_config(g, r->occupancy.l1_bytes), l2 = g->l2.cache;
    if (g->l2.effective_bytes && g->l2.effective_bytes < l2.size_bytes)
        l2.size_bytes = g->l2.effective_bytes / l2.line_bytes / (l2.ways ? l2.ways : 1) *
                        (l2.ways ? l2.ways : 1) * l2.line_bytes;
    strata_status st = front_init(&r->front, &l1, &l2, g->sm.count, seed, r->err);
    if (st != STRATA_OK)
        return st;
    r->front.l1_enabled = g->l1.enabled;
    r->front.l1_allocates_writes = l1_allocates_writes(g);
    r->front.l2_fetch_sectors =
        g->l2.fetch_bytes > l2.sector_bytes ? g->l2.fetch_bytes / l2.sector_bytes : 1;
    r->front.l2_fetches_on_write = g->l2.write_miss == STRATA_FETCH_ON_WRITE;
    r->front.script_writes = r->front.script_zero = r->scripts;
    return STRATA_OK;
}

/* A wave has no more blocks than the GPU holds; what a grid claims to have may be anything. */
static strata_status place_wave(struct reading *r)
{
    uint32_t per_sm = r->occupancy.blocks_per_sm ? r->occupancy.blocks_per_sm : 1;
    uint64_t blocks = strata_launch_blocks(r->launch), wave = (uint64_t)r->gpu->sm.count * per_sm;
    uint64_t placed = blocks < wave ? blocks : wave;
    uint32_t *set = calloc(placed + 1, sizeof *set);
    r->wave_blocks = wave ? wave : 1;
    r->sm_of_block = calloc(placed + 1, sizeof *r->sm_of_block);
    r->first_of_sm = calloc(r->gpu->sm.count + 1u, sizeof *r->first_of_sm);
    strata_status st = set && r->sm_of_block && r->first_of_sm
                           ? strata_place_blocks(r->gpu, placed, per_sm, STRATA_PLACE_DISPATCH,
                                                 r->sm_of_block, set, r->err)
                           : no_memory(r);
    free(set);
    return st;
}

static strata_status init_reading(struct reading *r, const struct strata_gpu *gpu,
                                  struct strata_reader *reader, uint64_t seed, bool scripts,
                                  struct strata_error *err)
{
    memset(r, 0, sizeof *r);
    r->scripts = scripts;
    r->gpu = gpu;
    r->reader = reader;
    r->launch = strata_reader_launch(reader);
    r->err = err;
    strata_status st = strata_occupancy_compute(gpu, r->launch, &r->occupancy, err);
    if (st != STRATA_OK)
        return st;
    strata_coalescer_init(&r->coalescer, gpu, r->launch);
    sm_decoder_init(&r->decoder, gpu, strata_reader_code(reader), r->launch->isa);
    st = place_wave(r);
    return st == STRATA_OK ? init_front(r, seed) : st;
}

static void release_reading(struct reading *r)
{
    for (uint32_t w = 0; w < r->cap_warps; w++) {
        strata_cursor_release(&r->warp[w].cursor);
        free(r->warp[w].record);
    }
    for (uint32_t b = 0; b < r->n_blocks; b++)
        strata_block_destroy(r->block[b].data);
    for (size_t k = 0; k < r->n_kept; k++)
        strata_block_destroy(r->kept[k]);
    for (size_t k = 0; k < r->n_first; k++)
        free(r->first[k].record);
    free(r->kept);
    free(r->first);
    path_table_release(&r->paths);
    front_release(&r->front);
    sm_decoder_release(&r->decoder);
    free(r->warp);
    free(r->block);
    free(r->list);
    free(r->flags);
    free(r->executed);
    free(r->first_of_sm);
    free(r->sm_of_block);
}

/* ---- one wave ---- */

static strata_status add_block(struct reading *r, struct strata_block *b)
{
    if (r->n_blocks == r->cap_blocks) {
        uint32_t cap = r->cap_blocks ? r->cap_blocks * 2 : 256;
        struct kept_block *grown = realloc(r->block, cap * sizeof *grown);
        if (!grown) {
            strata_block_destroy(b);
            return no_memory(r);
        }
        r->block = grown;
        r->cap_blocks = cap;
    }
    r->block[r->n_blocks++] = (struct kept_block){b, 0};
    return STRATA_OK;
}

static strata_status size_wave(struct reading *r)
{
    uint32_t n = 0, pcs = strata_code_count(strata_reader_code(r->reader));
    for (uint32_t b = 0; b < r->n_blocks; b++)
        n += r->block[b].data->n_warps;
    if (n > r->cap_warps) {
        struct wave_warp *w = realloc(r->warp, n * sizeof *w);
        if (!w)
            return no_memory(r);
        memset(w + r->cap_warps, 0, (n - r->cap_warps) * sizeof *w);
        r->warp = w;
        r->cap_warps = n;
    }
    free(r->list);
    free(r->flags);
    r->list = calloc(n + 1u, sizeof *r->list);
    r->flags = calloc((size_t)n + 1, pcs + 1u);
    r->n_warps = n;
    if (pcs > r->cap_executed) {
        uint64_t *e = realloc(r->executed, pcs * 2u * sizeof *e);
        if (!e)
            return no_memory(r);
        memset(e + r->cap_executed, 0, (pcs * 2u - r->cap_executed) * sizeof *e);
        r->executed = e;
        r->cap_executed = pcs * 2;
    }
    if (!r->list || !r->flags)
        return no_memory(r);
    strata_status st = front_grow_pcs(&r->front, pcs, r->err);
    return st == STRATA_OK ? sm_decoder_update(&r->decoder, r->err) : st;
}

static strata_status add_record(struct reading *r, struct wave_warp *w)
{
    if (w->n_records == w->cap_records) {
        uint32_t cap = w->cap_records ? w->cap_records * 2 : 64;
        struct front_record *grown = realloc(w->record, cap * sizeof *grown);
        if (!grown)
            return no_memory(r);
        w->record = grown;
        w->cap_records = cap;
    }
    memset(&w->record[w->n_records++], 0, sizeof *w->record);
    return STRATA_OK;
}

/* Goes on to the warp's next access to the caches; the instructions before it are only counted. */
static void advance(struct reading *r, struct wave_warp *w)
{
    while ((w->live = strata_cursor_next(&w->cursor, &w->next))) {
        const struct sm_inst *i = &r->decoder.inst[w->next.inst_index];
        w->hash = path_step(w->hash, w->next.inst_index);
        w->n_instructions++;
        r->executed[w->next.inst_index]++;
        if (i->kind == SM_KIND_GLOBAL)
            return;
        if (i->kind == SM_KIND_SHARED) {
            struct strata_shared_cost cost = strata_shared_access(&r->coalescer, &w->next);
            r->front.pc[w->next.inst_index].shared_passes += cost.wavefronts;
            r->lsu_cycles += load_store_shared_cycles(r->gpu, &cost);
        }
    }
}

static strata_status start_wave(struct reading *r)
{
    uint32_t n = 0, pcs = r->front.n_pcs,
             warps_per_block = strata_launch_warps_per_block(r->launch);
    for (uint32_t b = 0; b < r->n_blocks; b++) {
        struct strata_block *data = r->block[b].data;
        for (uint32_t k = 0; k < data->n_warps; k++, n++) {
            struct wave_warp *w = &r->warp[n];
            strata_status st = strata_cursor_init(&w->cursor, data, k, r->err);
            if (st != STRATA_OK)
                return st;
            w->block = b;
            w->warp_in_block = k;
            w->sm = r->sm_of_block[data->index % r->wave_blocks];
            w->id = data->index * warps_per_block + k;
            w->hash = 0;
            w->n_instructions = w->n_records = 0;
            w->flag = r->flags + (size_t)n * (pcs + 1);
            advance(r, w);
        }
    }
    uint32_t at = 0;
    for (uint32_t s = 0; s < r->gpu->sm.count; s++) {
        r->first_of_sm[s] = at;
        for (uint32_t w = 0; w < r->n_warps; w++)
            if (r->warp[w].sm == s) {
                r->warp[w].local_base = sm_local_base(r->gpu, s, at - r->first_of_sm[s]);
                r->list[at++] = w;
            }
    }
    r->first_of_sm[r->gpu->sm.count] = at;
    return STRATA_OK;
}

static enum front_op op_of(const struct strata_gpu *gpu, const struct strata_inst *i)
{
    switch (i->memop) {
    case STRATA_MEM_STORE:
        return FRONT_WRITE;
    case STRATA_MEM_ATOMIC:
    case STRATA_MEM_REDUCTION:
        return FRONT_ATOMIC;
    default:
        return l1_is_used(gpu, i) ? FRONT_READ : FRONT_READ_L2;
    }
}

static void sort_requests(struct strata_request *q, unsigned n)
{
    for (unsigned i = 1; i < n; i++) {
        struct strata_request x = q[i];
        unsigned j = i;
        for (; j && q[j - 1].line > x.line; j--)
            q[j] = q[j - 1];
        q[j] = x;
    }
}

static strata_status issue_access(struct reading *r, struct wave_warp *w)
{
    struct strata_request q[STRATA_MAX_REQUESTS];
    uint32_t pc = w->next.inst_index;
    unsigned n = strata_coalesce(&r->coalescer, &w->next, w->local_base, q);
    sort_requests(q, n);
    r->lsu_cycles += load_store_cycles(r->gpu, &r->coalescer, &w->next, q, n);
    strata_status st = add_record(r, w);
    if (st == STRATA_OK)
        st = front_access(&r->front, w->sm, pc, op_of(r->gpu, w->next.inst), q, n, &w->flag[pc],
                          &w->record, w->n_records - 1, r->err);
    return st;
}

/* Each SM lets its warps issue one access each in turn. */
static strata_status run_wave(struct reading *r)
{
    uint32_t n_sms = r->gpu->sm.count, longest = 0;
    for (uint32_t s = 0; s < n_sms; s++) {
        uint32_t n = r->first_of_sm[s + 1] - r->first_of_sm[s];
        longest = n > longest ? n : longest;
    }
    for (bool any = true; any;) {
        any = false;
        r->front.turn++;
        for (uint32_t k = 0; k < longest; k++)
            for (uint32_t s = 0; s < n_sms; s++) {
                if (r->first_of_sm[s] + k >= r->first_of_sm[s + 1])
                    continue;
                struct wave_warp *w = &r->warp[r->list[r->first_of_sm[s] + k]];
                if (!w->live)
                    continue;
                any = true;
                strata_status st = issue_access(r, w);
                if (st != STRATA_OK)
                    return st;
                advance(r, w);
            }
        if (r->front.n_queued > MERGE_AT)
            front_merge(&r->front);
    }
    front_merge(&r->front);
    return STRATA_OK;
}

static strata_status keep_path(struct reading *r, struct wave_warp *w, struct path *path)
{
    if (r->n_first == r->cap_first) {
        size_t cap = r->cap_first ? r->cap_first * 2 : 64;
        struct path_warp *grown = realloc(r->first, cap * sizeof *grown);
        if (!grown)
            return no_memory(r);
        r->first = grown;
        r->cap_first = cap;
    }
    path->user = r->n_first;
    r->first[r->n_first++] =
        (struct path_warp){r->block[w->block].data, w->warp_in_block, w->record};
    r->block[w->block].users++;
    w->record = NULL;
    w->cap_records = 0;
    return STRATA_OK;
}

static strata_status end_wave(struct reading *r)
{
    for (uint32_t i = 0; i < r->n_warps; i++) {
        struct wave_warp *w = &r->warp[i];
        bool is_new = false;
        front_count_warp(&r->front, w->flag, r->front.n_pcs);
        r->n_warps_all++;
        r->n_instructions += w->n_instructions;
        if (r->paths.n >= MAX_PATHS || !w->n_instructions)
            continue; /* of so many kinds of warps, the first ones stand for the rest */
        struct path *path = path_add(&r->paths, w->hash, w->n_instructions, w->id, &is_new);
        if (!path)
            return no_memory(r);
        strata_status st = is_new ? keep_path(r, w, path) : STRATA_OK;
        if (st != STRATA_OK)
            return st;
    }
    for (uint32_t b = 0; b < r->n_blocks; b++) {
        if (!r->block[b].users) {
            strata_block_destroy(r->block[b].data);
            continue;
        }
        if (r->n_kept == r->cap_kept) {
            size_t cap = r->cap_kept ? r->cap_kept * 2 : 64;
            struct strata_block **grown = realloc(r->kept, cap * sizeof *grown);
            if (!grown)
                return no_memory(r);
            r->kept = grown;
            r->cap_kept = cap;
        }
        r->kept[r->n_kept++] = r->block[b].data;
        r->block[b].data = NULL;
    }
    r->n_blocks = 0;
    return STRATA_OK;
}

static strata_status run_one_wave(struct reading *r)
{
    strata_status st = r->n_blocks ? size_wave(r) : STRATA_OK;
    if (st == STRATA_OK && r->n_blocks)
        st = start_wave(r);
    if (st == STRATA_OK && r->n_blocks)
        st = run_wave(r);
    return st == STRATA_OK ? end_wave(r) : st;
}

static strata_status read_launch(struct reading *r)
{
    uint64_t set = 0;
    for (;;) {
        struct strata_block *b;
        strata_status st = strata_reader_next_ordered(r->reader, &b, r->err);
        if (st == STRATA_END)
            return run_one_wave(r);
        if (st != STRATA_OK)
            return st;
        if (r->n_blocks && b->index / r->wave_blocks != set)
            st = run_one_wave(r);
        set = b->index / r->wave_blocks;
        if (st != STRATA_OK) {
            strata_block_destroy(b);
            return st;
        }
        st = add_block(r, b);
        if (st != STRATA_OK)
            return st;
    }
}

/* ---- intervals ---- */

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

/* Shares of a load's L1 misses and of those that miss the L2: published, of the warps that miss at
 * least once; or of executions, where a load that finds its data on the way waits as well. */
static void miss_shares(const struct reading *r, uint32_t pc, double *p1, double *p2)
{
    const struct front_pc *p = &r->front.pc[pc];
    bool atomic = strata_code_get(r->decoder.code, pc)->memop == STRATA_MEM_ATOMIC;
    *p1 = r->late ? share(p->late, r->executed[pc]) : share(p->warps_l1_miss, p->warps);
    *p2 = r->late ? share(p->l2_missed, p->missed) : share(p->warps_l2_miss, p->warps_l1_miss);
    *p1 = atomic ? 1 : *p1;
}

/* Latency of a static instruction without contention: of a load by the shares of its warps that
 * miss. */
static double latency_of(const struct reading *r, uint32_t pc)
{
    const struct sm_inst *i = &r->decoder.inst[pc];
    const struct front_pc *p = &r->front.pc[pc];
    if (i->kind == SM_KIND_SHARED)
        return r->gpu->shared.latency_cycles +
               r->gpu->shared.pass_cycles * (share(p->shared_passes, r->executed[pc]) > 1
                                                 ? share(p->shared_passes, r->executed[pc]) - 1
                                                 : 0);
    if (i->kind != SM_KIND_GLOBAL)
        return i->latency;
    double p1, p2;
    miss_shares(r, pc, &p1, &p2);
    if (r->scripts) /* the L2's hits and misses swapped, and the L1 paid in any case */
        return r->gpu->l1.hit_cycles +
               p1 * (gpu_l2_cycles(r->gpu) + (1 - p2) * gpu_dram_cycles(r->gpu));
    /* An L2 hit's latency is from load to use, so a miss does not pay for the L1 as well. */
    return (1 - p1) * r->gpu->l1.hit_cycles +
           p1 * (gpu_l2_cycles(r->gpu) + p2 * gpu_dram_cycles(r->gpu));
}

struct walk {
    struct interval_builder builder;
    struct sm_async async; /* in 64ths of a cycle */
    double earliest_cycle;
    uint32_t open_id, earliest_id;
};

/* Copies to shared memory are waited for by group, oldest first. */
static void wait_groups(struct walk *w, uint32_t allowed)
{
    double done = (double)sm_async_wait(&w->async, allowed) / 64;
    if (done > w->earliest_cycle) {
        w->earliest_cycle = done;
        w->earliest_id = w->open_id;
    }
    sm_async_drop(&w->async, allowed);
}

static void after_issue(struct reading *r, struct walk *w, const struct strata_winst *i,
                        double latency)
{
    const struct sm_inst *d = &r->decoder.inst[i->inst_index];
    double now = w->builder.previous_cycle;
    double gap = d->control.known ? sm_issue_gap(r->gpu, d, i->mask != 0)
                 : d->is_branch   ? d->latency
                                  : 0;
    if (d->kind == SM_KIND_BARRIER)
        gap = sm_barrier_cycles(r->gpu, strata_launch_warps_per_block(r->launch),
                                r->decoder.controlled);
    if (gap > 0) {
        w->earliest_cycle = now + gap;
        w->earliest_id = i->inst_index + 1;
    }
    if (i->inst->memop == STRATA_MEM_ASYNC_COPY) {
        sm_async_arrive(&w->async.open, (uint64_t)((now + latency) * 64));
        w->open_id = i->inst_index + 1;
    } else if (d->kind == SM_KIND_COMMIT) {
        sm_async_commit(&w->async);
    } else if (d->kind == SM_KIND_WAIT) {
        wait_groups(w, sm_async_allowed(&w->async, i->inst, r->launch->isa));
    }
}

/* Entries of the builder that stand for barriers follow registers and predicate. */
static uint16_t barrier_entry(const struct reading *r, unsigned barrier)
{
    return (uint16_t)(r->decoder.max_register + 2 + barrier);
}

/* What an instruction waits for, of the builder's entries. */
static unsigned waits_for(const struct reading *r, const struct sm_inst *d,
                          uint16_t read[SM_MAX_READS + 1])
{
    unsigned n = 0;
    if (d->control.known) {
        for (unsigned k = 0; k < SM_N_BARRIERS; k++)
            if (d->control.wait_mask >> k & 1)
                read[n++] = barrier_entry(r, k);
        return n;
    }
    memcpy(read, d->read, d->n_read * sizeof read[0]);
    n = d->n_read;
    if (d->reads_predicate)
        read[n++] = (uint16_t)(r->decoder.max_register + 1);
    return n;
}

/* What waits for an instruction that has just issued: see src/sm/scoreboard.h. */
static void note_results(const struct reading *r, struct walk *w, uint32_t pc, double latency)
{
    const struct sm_inst *d = &r->decoder.inst[pc];
    uint16_t predicate = (uint16_t)(r->decoder.max_register + 1);
    if (d->control.known) {
        if (d->control.write_barrier < SM_N_BARRIERS)
            interval_take(&w->builder, barrier_entry(r, d->control.write_barrier), latency, pc + 1);
        if (d->control.read_barrier < SM_N_BARRIERS)
            interval_take(&w->builder, barrier_entry(r, d->control.read_barrier),
                          sm_operands_cycles(r->gpu), pc + 1);
        return;
    }
    interval_write(&w->builder, d->write, d->n_write, latency, pc + 1);
    if (d->writes_predicate)
        interval_write(&w->builder, &predicate, 1, latency, pc + 1);
}

static void add_requests(const struct reading *r, struct interval *i, uint32_t pc,
                         const struct front_record *record)
{
    const struct front_pc *p = &r->front.pc[pc];
    if (record) {
        i->read_misses += record->read;
        i->write_requests += record->write;
        i->l2_read_misses += record->l2_read;
        i->l2_write_misses += record->l2_write;
    }
    i->mean_read += share(p->read_sectors, r->executed[pc]);
    i->mean_write += share(p->write_sectors, r->executed[pc]);
    i->mean_l2_read += share(p->l2_read_sectors, r->executed[pc]);
    i->mean_l2_write += share(p->l2_write_sectors, r->executed[pc]);
}

static strata_status walk_warp(struct reading *r, struct walk *w, const struct path_warp *p)
{
    struct strata_cursor cursor = {0};
    struct strata_winst i;
    uint32_t n_records = 0;
    strata_status st = strata_cursor_init(&cursor, p->block, p->warp, r->err);
    interval_builder_reset(&w->builder);
    w->earliest_cycle = 0;
    sm_async_reset(&w->async);
    while (st == STRATA_OK && strata_cursor_next(&cursor, &i)) {
        const struct sm_inst *d = &r->decoder.inst[i.inst_index];
        double latency = latency_of(r, i.inst_index);
        uint16_t read[SM_MAX_READS + 1];
        unsigned n_read = waits_for(r, d, read);
        st = interval_issue(&w->builder, read, n_read, w->earliest_cycle, w->earliest_id, r->err);
        note_results(r, w, i.inst_index, latency);
        after_issue(r, w, &i, latency);
        if (d->kind == SM_KIND_GLOBAL)
            add_requests(r, interval_current(&w->builder), i.inst_index,
                         p->record ? &p->record[n_records++] : NULL);
    }
    strata_cursor_release(&cursor);
    return st == STRATA_OK ? interval_finish(&w->builder, r->err) : st;
}

static void name_causes(const struct reading *r, struct interval_builder *b)
{
    for (size_t i = 0; i < b->n; i++) {
        if (!b->cause_id[i])
            continue;
        uint32_t pc = b->cause_id[i] - 1;
        bool memory = r->decoder.inst[pc].kind == SM_KIND_GLOBAL;
        b->list[i].cause = memory ? INTERVAL_CAUSE_MEMORY : INTERVAL_CAUSE_COMPUTE;
        if (memory)
            miss_shares(r, pc, &b->list[i].p1, &b->list[i].p2);
    }
}

/* Keeps the warp just walked if none took longer. */
static void note_longest(const struct reading *r, struct interval_builder *b, double cycles,
                         struct interval_launch *l)
{
    double *longest = r->late ? &l->longest_late_cycles : &l->longest_cycles, waits[3] = {0};
    if (cycles <= *longest)
        return;
    *longest = cycles;
    name_causes(r, b);
    for (size_t i = 0; i < b->n; i++) {
        const struct interval *v = &b->list[i];
        if (v->cause != INTERVAL_CAUSE_MEMORY)
            continue;
        waits[0] += v->count * (1 - v->p1);
        waits[1] += v->count * v->p1;
        waits[2] += v->count * v->p1 * v->p2;
    }
    *(r->late ? &l->longest_late_l1_waits : &l->longest_l1_waits) = waits[0];
    *(r->late ? &l->longest_late_l2_waits : &l->longest_l2_waits) = waits[1];
    *(r->late ? &l->longest_late_dram_waits : &l->longest_dram_waits) = waits[2];
}

static strata_status choose(struct reading *r, struct walk *w, struct interval_launch *l,
                            size_t *chosen)
{
    struct cluster_point *point = calloc(r->paths.n + 1, sizeof *point);
    strata_status st = point ? STRATA_OK : no_memory(r);
    for (size_t k = 0; st == STRATA_OK && k < r->paths.n; k++) {
        const struct path *p = &r->paths.path[k];
        st = walk_warp(r, w, &r->first[p->user]);
        struct interval_single s = interval_sum(w->builder.list, w->builder.n, 1);
        note_longest(r, &w->builder, s.base_cycles + s.stall_cycles, l);
        point[k] = (struct cluster_point){s.probability, s.instructions, p->count, p->first_warp};
    }
    struct cluster_choice c = {0};
    if (st == STRATA_OK)
        st = cluster_representative(point, r->paths.n, &c, r->err);
    free(point);
    *chosen = c.point;
    l->cluster_share = c.share;
    l->representative = (double)c.id;
    return st;
}

static strata_status cut_intervals(struct reading *r, struct interval_launch *l,
                                   struct interval **list, size_t *n)
{
    struct walk w = {0};
    size_t chosen;
    if (!r->paths.n)
        return strata_fail(
            r->err, STRATA_EFORMAT, r->launch->trace, 0, 0,
            "the launch has no instructions; the interval model needs at least one warp.");
    strata_status st =
        interval_builder_init(&w.builder, r->scripts ? INTERVAL_GAP_10_SUM : INTERVAL_NORMATIVE,
                              r->decoder.max_register + 2 + SM_N_BARRIERS, r->err);
    if (st == STRATA_OK)
        st = choose(r, &w, l, &chosen);
    if (st == STRATA_OK)
        st = walk_warp(r, &w, &r->first[r->paths.path[chosen].user]);
    if (st == STRATA_OK) {
        name_causes(r, &w.builder);
        *n = interval_join(w.builder.list, w.builder.n);
        *list = w.builder.list;
        w.builder.list = NULL;
    }
    interval_builder_release(&w.builder);
    return st;
}

/* ---- what is kept ---- */

static void fill_totals(const struct reading *r, struct interval_launch *l)
{
    const struct front_total *t = &r->front.total;
    uint32_t lines = 0, last = UINT32_MAX;
    for (uint32_t i = 0; i < r->decoder.n; i++) {
        const struct sm_inst *d = &r->decoder.inst[i];
        l->pipe_cycles[d->pipe] += (double)r->executed[i] * d->interval;
        lines += d->fetch_line != last;
        last = d->fetch_line;
    }
    l->code_lines = lines;
    l->lsu_cycles = (double)r->lsu_cycles;
    l->l1_miss_sectors = (double)t->l1_read_miss_sectors;
    l->l2_requests = (double)t->l2_requests;
    l->l2_sectors = (double)t->l2_sectors;
    l->l2_write_sectors = (double)t->l2_write_sectors;
    l->atomic_sectors = (double)t->atomic_sectors;
    l->dram_read_sectors = (double)t->dram_read_sectors;
    l->dram_write_sectors = (double)t->dram_write_sectors;
    l->l2_miss_ratio = share(t->l2_misses, t->l2_requests);
    l->sector_bytes = r->gpu->l2.cache.sector_bytes;
    l->scripts = r->scripts;
}

static strata_status fill_launch(const struct reading *r, struct interval_launch *l)
{
    l->program = strdup(r->launch->program ? r->launch->program : "");
    l->trace = strdup(r->launch->trace ? r->launch->trace : "");
    l->kernel = strdup(r->launch->kernel ? r->launch->kernel : "");
    l->id = r->launch->id;
    l->blocks = (double)(r->launch->sampled_blocks ? r->launch->sampled_blocks
                                                   : strata_launch_blocks(r->launch));
    l->warps_per_block = strata_launch_warps_per_block(r->launch);
    l->blocks_per_sm = r->occupancy.blocks_per_sm;
    l->instructions = (double)r->n_instructions;
    l->warps = (double)r->n_warps_all;
    l->paths = (double)r->paths.n;
    l->l1_cycles = r->gpu->l1.hit_cycles;
    l->l2_cycles = gpu_l2_cycles(r->gpu);
    l->dram_cycles = gpu_dram_cycles(r->gpu);
    fill_totals(r, l);
    if (l->program && l->trace && l->kernel)
        return STRATA_OK;
    return strata_no_memory(r->err, NULL, "for the name of a launch");
}

strata_status strata_interval_profile_launch(struct strata_interval_profile *p,
                                             const struct strata_gpu *gpu,
                                             struct strata_reader *reader, uint64_t seed,
                                             struct strata_error *err)
{
    struct reading *r = calloc(1, sizeof *r);
    struct interval_launch *l = profile_add(p);
    if (!r || !l) {
        free(r);
        return strata_no_memory(err, NULL, "for an interval profile");
    }
    strata_status st = init_reading(r, gpu, reader, seed, p->scripts, err);
    if (st == STRATA_OK)
        st = read_launch(r);
    if (st == STRATA_OK)
        st = cut_intervals(r, l, &l->interval, &l->n_intervals);
    r->late = true;
    if (st == STRATA_OK)
        st = cut_intervals(r, l, &l->late_interval, &l->n_late_intervals);
    if (st == STRATA_OK)
        st = fill_launch(r, l);
    if (st != STRATA_OK) {
        launch_release(l);
        p->n--;
    }
    release_reading(r);
    free(r);
    return st;
}
