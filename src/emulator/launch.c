/* launch.c - one launch: checks, set-up, and the interleaved way to run it. */
#include "emulator/launch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "emulator/block_queue.h"
#include "emulator/record.h"
#include "emulator/warp_clock.h"

/* Instructions a block executes before another gets its turn. */
#define BLOCK_TURN (1u << 18)
/* As many blocks as take turns although none of them waits. */
#define MAX_TAKING_TURNS 32
/* Instructions a block executes without any block ending before more are started: those there may
 * wait for one to come in a way that does not look like waiting. */
#define PATIENCE ((uint64_t)2 * BLOCK_TURN)

/* ---- checks ---- */

/* The cluster a launch runs in: what it says, else what the kernel was compiled for. */
static struct strata_dim3 cluster_of(const struct strata_kernel_launch *l)
{
    const uint32_t *r = l->entry->required_cluster;
    struct strata_dim3 c = l->cluster.x ? l->cluster : (struct strata_dim3){r[0], r[1], r[2]};
    return (struct strata_dim3){c.x ? c.x : 1, c.y ? c.y : 1, c.z ? c.z : 1};
}

static strata_status check_cluster(const struct strata_kernel_launch *l, struct strata_error *err)
{
    struct strata_dim3 c = cluster_of(l);
    const uint32_t *r = l->entry->required_cluster;
    uint64_t blocks = (uint64_t)c.x * c.y * c.z;
    if (r[0] && (c.x != r[0] || c.y != (r[1] ? r[1] : 1) || c.z != (r[2] ? r[2] : 1)))
        return strata_fail(
            err, STRATA_EUSAGE, NULL, 0, 0,
            "kernel \"%s\" was compiled for clusters of %ux%ux%u blocks, not %ux%ux%u",
            l->entry->name, r[0], r[1], r[2], c.x, c.y, c.z);
    if (blocks > EMU_MAX_CLUSTER)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "kernel \"%s\": a cluster of %ux%ux%u blocks is larger than the %u that "
                           "fit in a GPC",
                           l->entry->name, c.x, c.y, c.z, EMU_MAX_CLUSTER);
    if (l->grid.x % c.x || l->grid.y % c.y || l->grid.z % c.z)
        return strata_fail(
            err, STRATA_EUSAGE, NULL, 0, 0,
            "kernel \"%s\": a grid of %ux%ux%u blocks is no multiple of clusters of %ux%ux%u",
            l->entry->name, l->grid.x, l->grid.y, l->grid.z, c.x, c.y, c.z);
    return STRATA_OK;
}

static strata_status check_launch(const struct strata_kernel_launch *l, struct strata_error *err)
{
    const struct strata_entry *e = l->entry;
    uint64_t threads = (uint64_t)l->block.x * l->block.y * l->block.z;
    if (!l->grid.x || !l->grid.y || !l->grid.z || !threads)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "kernel \"%s\": a grid of %ux%ux%u blocks of %ux%ux%u threads is empty",
                           e->name, l->grid.x, l->grid.y, l->grid.z, l->block.x, l->block.y,
                           l->block.z);
    if (threads > 1024 || l->block.z > 64)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "kernel \"%s\": a block of %ux%ux%u threads is larger than 1024 (z: 64)",
                           e->name, l->block.x, l->block.y, l->block.z);
    if (e->max_threads && threads > e->max_threads)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "kernel \"%s\" was compiled for at most %u threads in a block, not %llu",
                           e->name, e->max_threads, (unsigned long long)threads);
    if (l->grid.y > 65535 || l->grid.z > 65535 || l->grid.x > INT32_MAX)
        return strata_fail(
            err, STRATA_EUSAGE, NULL, 0, 0,
            "kernel \"%s\": a grid of %ux%ux%u blocks is larger than hardware allows", e->name,
            l->grid.x, l->grid.y, l->grid.z);
    if (check_cluster(l, err) != STRATA_OK)
        return err->status;
    uint64_t shared = (uint64_t)e->shared_static_bytes + l->shared_dynamic_bytes;
    if (shared > 1u << 20)
        return strata_fail(
            err, STRATA_EUSAGE, NULL, 0, 0,
            "kernel \"%s\": %llu bytes of shared memory in a block are more than any "
            "GPU has",
            e->name, (unsigned long long)shared);
    return STRATA_OK;
}

/* ---- the recorded code ---- */

static strata_status build_code(struct emu_image *image, struct strata_error *err)
{
    if (image->record)
        return STRATA_OK;
    struct strata_code *code;
    strata_status status = strata_code_create(&code, err);
    for (size_t i = 0; status == STRATA_OK && i < image->n_statics; i++) {
        uint32_t index;
        status = strata_code_add(code, &image->statics[i], &index, err);
        if (status == STRATA_OK && index != i)
            status =
                strata_fail(err, STRATA_EFORMAT, image->file, 0, 0,
                            "two instructions of kernel \"%s\" cannot be told apart", image->name);
    }
    if (status != STRATA_OK) {
        strata_code_destroy(code);
        return status;
    }
    image->record = code;
    return STRATA_OK;
}

static strata_status begin_record(struct emu_launch *l, struct emu_image *image)
{
    const struct strata_record_sink *sink = l->run.opt->sink;
    if (!sink)
        return STRATA_OK;
    strata_status status = build_code(image, l->err);
    if (status != STRATA_OK)
        return status;
    l->run.code = image->record;
    l->builder = image->builder;
    image->builder = NULL;
    if (!l->builder)
        status = strata_builder_create(image->record, &l->builder, l->err);
    return status == STRATA_OK ? sink->begin(sink->user, image->record, l->err) : status;
}

static void keep_builder(struct emu_launch *l)
{
    struct emu_image *image = l->run.image;
    if (!l->builder)
        return;
    strata_builder_destroy(image->builder);
    image->builder = l->builder;
}

void emu_image_release_record(struct emu_image *image)
{
    strata_builder_destroy(image->builder);
    strata_code_destroy(image->record);
}

bool emu_launch_records(const struct emu_launch *l, uint64_t index)
{
    uint64_t sample = l->run.opt->sample_blocks, n = l->run.n_blocks;
    if (!l->run.opt->sink)
        return false;
    if (!sample || sample >= n)
        return true;
    __extension__ typedef unsigned __int128 wide;
    return strata_sampled_block((uint64_t)((wide)index * sample / n), sample, n) == index;
}

/* ---- finished blocks ---- */

strata_status emu_launch_finish(struct emu_launch *l, struct emu_block *block,
                                struct strata_block *record)
{
    const struct strata_run_options *opt = l->run.opt;
    if (block->text.n && opt->print)
        opt->print(opt->print_user, block->text.bytes, block->text.n);
    emu_children_hand_out(block);
    l->next++;
    l->stats.blocks++;
    l->stats.warp_instructions += block->instructions;
    l->stats.thread_instructions += block->thread_instructions;
    l->stats.memory_instructions += block->memory_instructions;
    l->stats.stray_loads += block->stray_loads;
    l->stats.stray_stores += block->stray_stores;
    if (opt->instruction_limit && l->stats.warp_instructions > opt->instruction_limit) {
        strata_block_destroy(record);
        return strata_fail(l->err, STRATA_ELIMIT, l->run.image->file, 0, 0,
                           "kernel \"%s\" executed more than the limit of %llu warp instructions",
                           l->run.image->name, (unsigned long long)opt->instruction_limit);
    }
    if (!record)
        return STRATA_OK;
    l->stats.recorded_blocks++;
    return opt->sink->block(opt->sink->user, record, l->err);
}

/* ---- interleaved ---- */

struct resident {
    struct emu_launch *l;
    struct emu_block *first, **last; /* in the order of their index */
    struct emu_block *newest, *free;
    uint64_t n, started, state_bytes;
    uint64_t turn;    /* instructions of a block's turn */
    uint64_t in_vain; /* instructions of each block since one ended */
    bool ran, waits;  /* in this round: a block got on; one waits for its cluster */
    bool share_work;  /* blocks take it from a queue: all that an SM holds take turns */
    bool by_time;     /* they run in the order of their clocks, see run_by_time() */
    uint64_t now;     /* then: when a block that starts does so */
};

static uint64_t state_limit(const struct emu_run *run)
{
    return run->opt->state_limit_bytes ? run->opt->state_limit_bytes : (uint64_t)4 << 30;
}

/* A resident block of the same cluster; NULL: it is the first. */
static struct emu_block *find_mate(const struct resident *r, const struct emu_block *block)
{
    uint64_t wanted, number;
    emu_cluster_rank(block->run, block->index, &wanted);
    for (struct emu_block *b = r->first; b; b = b->next) {
        emu_cluster_rank(block->run, b->index, &number);
        if (number == wanted && b->cluster != &b->alone)
            return b;
    }
    return NULL;
}

/* How far a block has come, in instructions. */
static uint64_t come_so_far(const struct emu_block *block)
{
    return block->head_start + block->instructions;
}

static uint64_t hindmost(const struct resident *r)
{
    uint64_t least = UINT64_MAX;
    for (const struct emu_block *b = r->first; b; b = b->next)
        if (!b->done && come_so_far(b) < least)
            least = come_so_far(b);
    return least == UINT64_MAX ? 0 : least;
}

/* Blocks that take turns although none waits. Without atomics that answer, blocks run strictly one
 * after the other unless they wait: what parallel.c promises. Finely interleaved, a block on every
 * SM; where they share work, all that the SMs hold. */
static uint64_t taking_turns(const struct resident *r)
{
    const struct emu_run *run = &r->l->run;
    uint64_t span = emu_cluster_span(run), n = 1, fit = state_limit(run) / r->state_bytes;
    uint32_t per_sm = run->opt->blocks_per_sm ? run->opt->blocks_per_sm : 1;
    if (run->opt->interleave)
        n = emu_sm_count(run);
    else if (r->share_work || r->by_time)
        n = (uint64_t)emu_sm_count(run) * per_sm < fit ? (uint64_t)emu_sm_count(run) * per_sm : fit;
    else if (run->image->talks_between_blocks)
        n = MAX_TAKING_TURNS;
    return n > span ? n : span;
}

/* Blocks that the SMs hold from the beginning start together; a later one where the last one is. */
static uint64_t head_start(const struct resident *r)
{
    return r->share_work && r->started >= taking_turns(r) ? hindmost(r) : 0;
}

static strata_status admit(struct resident *r)
{
    struct emu_run *run = &r->l->run;
    uint64_t limit = state_limit(run);
    struct emu_block *block = r->free;
    if (block) {
        r->free = block->next;
    } else {
        if ((r->n + 1) * r->state_bytes > limit)
            return strata_fail(
                r->l->err, STRATA_ELIMIT, run->image->file, 0, 0,
                "kernel \"%s\": %llu of its blocks wait for blocks that have not "
                "started, and more do not fit in the %llu MiB allowed for their state",
                run->image->name, (unsigned long long)r->n, (unsigned long long)(limit >> 20));
        block = emu_block_create(run);
    }
    if (!block)
        return strata_no_memory(r->l->err, run->image->file,
                                "for the state of a block of kernel \"%s\"", run->image->name);
    emu_block_start(block, r->started, emu_launch_records(r->l, r->started));
    block->head_start = head_start(r);
    block->time = r->now;
    if (r->by_time)
        emu_clocks_begin(block, r->now);
    r->started++;
    r->n++;
    bool joined = emu_cluster_blocks(run) == 1 || emu_cluster_join(block, find_mate(r, block));
    block->next = NULL;
    *r->last = r->newest = block;
    r->last = &block->next;
    return joined ? STRATA_OK
                  : strata_no_memory(r->l->err, run->image->file, "for a cluster of blocks");
}

/* Blocks are handed out in order; a later one that is done waits, with its trace made. */
static strata_status retire(struct resident *r)
{
    while (r->first && r->first->done) {
        struct emu_block *block = r->first;
        struct strata_block *record = block->record;
        block->record = NULL;
        r->first = block->next;
        if (!r->first)
            r->last = &r->first;
        emu_cluster_leave(block);
        block->next = r->free;
        r->free = block;
        r->n--;
        strata_status status = emu_launch_finish(r->l, block, record);
        if (status != STRATA_OK)
            return status;
    }
    return STRATA_OK;
}

/* What a turn of a block has come to: an error, its trace where it is done. */
static strata_status note_progress(struct resident *r, struct emu_block *block,
                                   enum emu_progress progress)
{
    uint64_t limit = r->l->run.opt->instruction_limit;
    if (progress == EMU_BLOCK_FAILED) {
        if (r->l->err)
            *r->l->err = block->error;
        return block->error.status;
    }
    if (limit && block->instructions > limit)
        return strata_fail(r->l->err, STRATA_ELIMIT, r->l->run.image->file, 0, 0,
                           "kernel \"%s\" executed more than the limit of %llu warp instructions; "
                           "block %llu may never end",
                           r->l->run.image->name, (unsigned long long)limit,
                           (unsigned long long)block->index);
    if (progress != EMU_BLOCK_DONE || !block->recording)
        return STRATA_OK;
    return emu_record_finish(block, r->l->builder, &block->record, r->l->err);
}

static strata_status run_one(struct resident *r, struct emu_block *block, bool *spins)
{
    uint64_t before = block->instructions;
    enum emu_progress progress = emu_block_run(block, r->turn);
    *spins = progress == EMU_BLOCK_SPINS || progress == EMU_BLOCK_WAITS;
    r->ran |= block->instructions != before;
    r->waits |= progress == EMU_BLOCK_WAITS;
    r->share_work |= progress == EMU_BLOCK_TAKES;
    return note_progress(r, block, progress);
}

/* Where work is shared a block that has come further leaves the next of it to those behind: on a
 * card blocks with short work come back for more the sooner. Half way from the hindmost to the mean
 * the most tasks of a block are those of device/probe/queue_probe.cu: 22 of 1056, where the card's
 * blocks take 21. */
static uint64_t furthest_allowed(const struct resident *r)
{
    uint64_t sum = 0, n = 0, least = hindmost(r);
    for (const struct emu_block *b = r->first; r->share_work && b; b = b->next) {
        sum += b->done ? 0 : come_so_far(b);
        n += !b->done;
    }
    return n ? least + (sum / n - least) / 2 : UINT64_MAX;
}

/* One round over the resident blocks. New blocks start when all wait (they may wait for the new
 * one), or when long-running ones have used up their turn and only few are there. */
static strata_status round_of_turns(struct resident *r, bool *all_spin)
{
    uint64_t furthest = furthest_allowed(r);
    *all_spin = true;
    for (struct emu_block *block = r->first; block; block = block->next) {
        bool spins, ahead = come_so_far(block) > furthest;
        *all_spin &= block->done || !ahead;
        if (block->done || ahead)
            continue;
        strata_status status = run_one(r, block, &spins);
        if (status != STRATA_OK)
            return status;
        *all_spin &= spins;
    }
    return retire(r);
}

static void free_list(struct emu_block *block)
{
    while (block) {
        struct emu_block *next = block->next;
        emu_block_destroy(block);
        block = next;
    }
}

/* How many blocks to start now: twice as many as there are if all wait, so that the one they wait
 * for is found after few rounds. */
static uint64_t blocks_to_start(struct resident *r, bool idle)
{
    const struct emu_run *run = &r->l->run;
    uint64_t together = taking_turns(r);
    if (run->launch->cooperative)
        return run->n_blocks;
    if (idle)
        return r->n;
    if (together > 1 && r->in_vain >= PATIENCE && 2 * r->n * r->state_bytes <= state_limit(run)) {
        r->in_vain = 0;
        return r->n;
    }
    bool all = run->opt->interleave || r->share_work || emu_cluster_span(run) > 1;
    return all && r->n < together ? together - r->n : r->n < together;
}

/* Nobody got on and somebody waits for its cluster: lanes that wait for others of their warp are
 * let go; if even that does not help, it waits for ever. */
static strata_status despair(struct resident *r)
{
    struct emu_run *run = &r->l->run;
    bool stuck = r->waits && !r->ran, before = run->desperate;
    run->desperate = stuck;
    if (!stuck || !before)
        return STRATA_OK;
    for (struct emu_block *block = r->first; block; block = block->next)
        if (!block->done)
            emu_block_deadlock(block);
    for (struct emu_block *block = r->first; block; block = block->next)
        if (block->failed) {
            *r->l->err = block->error;
            return block->error.status;
        }
    return STRATA_OK;
}

/* ---- by time ---- */

/* Blocks that ask by additions of nothing, or in loops that wait (waiting.h), wait for one another,
 * and how often they ask hangs on when each comes how far: one after the other none would wait, as
 * in a scan in one pass, whose blocks all wait for the one before. They run a few instructions at a
 * time, the one whose clock is behind first. */
#define TIME_STEP 16
/* Cycles by which it may get ahead of the next before that goes on: a tenth of what one block takes
 * to pass on a scan's sum. */
#define TIME_SLACK 128
/* Steps in vain of each block until it may be a later one that they wait for. */
#define TIME_PATIENCE 4096

static bool waits_by_time(const struct emu_run *run)
{
    return run->timing && run->image->blocks_wait && !run->opt->interleave &&
           emu_cluster_blocks(run) == 1 && run->n_blocks > 1;
}

/* The block that is behind runs until another one is; one that ends makes room at once. */
static strata_status step_by_time(struct resident *r, struct emu_block_queue *live)
{
    struct emu_block *block = emu_block_queue_first(live);
    uint64_t next = emu_block_queue_next_time(live);
    strata_status status = STRATA_OK;
    r->now = block->time;
    next = next < UINT64_MAX - TIME_SLACK ? next + TIME_SLACK : UINT64_MAX;
    block->until = next;
    while (status == STRATA_OK && !block->done && block->time <= next) {
        enum emu_progress progress = emu_block_step(block, TIME_STEP);
        r->in_vain = progress == EMU_BLOCK_SPINS ? r->in_vain + 1 : 0;
        status = note_progress(r, block, progress);
        block->time = status == STRATA_OK && !block->done ? emu_clocks_time(block) : block->time;
    }
    emu_block_queue_moved(live);
    return status == STRATA_OK && block->done ? retire(r) : status;
}

static strata_status start_by_time(struct resident *r, struct emu_block_queue *live)
{
    const struct emu_run *run = &r->l->run;
    strata_status status = admit(r);
    if (status == STRATA_OK && !emu_block_queue_add(live, r->newest))
        status = strata_no_memory(r->l->err, run->image->file, "for the order of blocks");
    return status;
}

static strata_status run_by_time(struct emu_launch *l)
{
    struct resident r = {
        .l = l, .started = l->next, .state_bytes = emu_block_state_bytes(&l->run), .by_time = true};
    l->run.by_time = true;
    struct emu_block_queue live = {0};
    uint64_t room = l->run.launch->cooperative ? l->run.n_blocks : taking_turns(&r);
    strata_status status = STRATA_OK;
    r.last = &r.first;
    while (status == STRATA_OK && l->next < l->run.n_blocks) {
        while (status == STRATA_OK && live.n < room && r.started < l->run.n_blocks)
            status = start_by_time(&r, &live);
        if (status == STRATA_OK)
            status = step_by_time(&r, &live);
        if (r.in_vain > TIME_PATIENCE * live.n) {
            room = 2 * live.n;
            r.in_vain = 0;
        }
    }
    emu_block_queue_release(&live);
    free_list(r.first);
    free_list(r.free);
    return status;
}

strata_status emu_run_interleaved(struct emu_launch *l, bool *spins)
{
    if (waits_by_time(&l->run))
        return run_by_time(l);
    uint32_t fine = l->run.opt->interleave;
    struct resident r = {.l = l,
                         .started = l->next,
                         .state_bytes = emu_block_state_bytes(&l->run),
                         .turn = fine ? ((uint64_t)fine + 1) * l->run.n_warps : BLOCK_TURN};
    strata_status status = STRATA_OK;
    r.last = &r.first;
    bool idle = false;
    while (status == STRATA_OK && l->next < l->run.n_blocks) {
        bool all_spin = true;
        uint64_t before = l->next, more = blocks_to_start(&r, idle);
        uint64_t span = emu_cluster_span(&l->run);
        more = (more + span - 1) / span * span;
        while (status == STRATA_OK && more-- && r.started < l->run.n_blocks)
            status = admit(&r);
        r.ran = r.waits = false;
        if (status == STRATA_OK)
            status = round_of_turns(&r, &all_spin);
        if (status == STRATA_OK)
            status = despair(&r);
        r.in_vain = l->next == before ? r.in_vain + r.turn : 0;
        idle = all_spin && l->next == before;
        *spins |= idle;
    }
    free_list(r.first);
    free_list(r.free);
    return status;
}

/* ---- the launch ---- */

void strata_run_options_init(struct strata_run_options *opt)
{
    memset(opt, 0, sizeof *opt);
}

static uint32_t local_stride(const struct emu_image *image, const struct strata_run_options *opt)
{
    uint32_t bytes = image->stack_bytes;
    if (image->recursive) {
        uint32_t stack = opt->stack_bytes ? opt->stack_bytes : 16384;
        bytes = bytes > stack ? bytes : stack;
    }
    return (bytes + 15) & ~15u;
}

static strata_status set_up(struct emu_launch *l, struct strata_module *m, size_t entry)
{
    struct emu_run *run = &l->run;
    const struct strata_kernel_launch *launch = run->launch;
    struct emu_image *image = m->executor->image(m, entry, l->err);
    if (!image)
        return l->err->status;
    run->module = m;
    run->executor = m->executor;
    run->image = image;
    run->threads_per_block = launch->block.x * launch->block.y * launch->block.z;
    run->n_warps = (run->threads_per_block + EMU_LANES - 1) / EMU_LANES;
    run->n_blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    run->cluster = cluster_of(launch);
    run->shared_bytes = image->shared_bytes + launch->shared_dynamic_bytes;
    run->local_stride = local_stride(image, run->opt);
    run->checks_memory = m->memory.find != NULL;
    run->grid_workspace = m->workspace;
    memset(m->workspace, 0, EMU_WORKSPACE_BYTES);
    run->params = calloc(1, launch->entry->param_bytes + 64);
    if (run->params && launch->entry->param_bytes)
        memcpy(run->params, launch->params, launch->entry->param_bytes);
    if (!run->params || !emu_timing_create(run, &run->timing) || !run->executor->run_begin(run))
        return strata_no_memory(l->err, NULL, "for a launch");
    return begin_record(l, image);
}

static uint32_t thread_count(const struct strata_run_options *opt)
{
    if (opt->threads)
        return opt->threads;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (uint32_t)cores : 1;
}

/* Blocks may run ahead of their turn if it can be told what they touch, and nothing they do returns
 * an answer that depends on the order. */
static bool may_run_ahead(const struct emu_launch *l)
{
    return l->run.checks_memory && !l->run.image->talks_between_blocks &&
           !l->run.launch->cooperative && !l->run.opt->interleave && l->run.n_blocks > 1 &&
           !waits_by_time(&l->run) && emu_cluster_blocks(&l->run) == 1 &&
           l->run.n_blocks < UINT32_MAX;
}

strata_status strata_module_run(struct strata_module *m, const struct strata_kernel_launch *launch,
                                const struct strata_run_options *opt,
                                struct strata_run_stats *stats, struct strata_error *err)
{
    struct strata_run_options defaults;
    struct strata_error local;
    strata_run_options_init(&defaults);
    struct emu_launch l = {.err = err ? err : &local,
                           .run = {.launch = launch, .opt = opt ? opt : &defaults}};
    size_t index = (size_t)(launch->entry - m->entries);
    if (launch->entry < m->entries || index >= m->n_entries)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0, "the entry is not one of this module");
    strata_status status = check_launch(launch, l.err);
    if (status == STRATA_OK)
        status = set_up(&l, m, index);
    bool rest = true, spins = false, ahead = status == STRATA_OK && may_run_ahead(&l);
    if (ahead && thread_count(l.run.opt) > 1)
        status = emu_run_parallel(&l, thread_count(l.run.opt), &rest, &spins);
    if (status == STRATA_OK && rest)
        status = emu_run_interleaved(&l, &spins);
    l.stats.ran_in_parallel = ahead && !spins;
    if (stats)
        *stats = l.stats;
    keep_builder(&l);
    if (l.run.executor)
        l.run.executor->run_end(&l.run);
    emu_timing_destroy(l.run.timing);
    free(l.run.params);
    return status;
}
