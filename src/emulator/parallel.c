/* parallel.c - blocks run ahead of their turn on several threads.
 *
 * The outcome is that of running block after block, whatever the number of threads. A block that
 * runs ahead keeps its stores and reductions to itself: those to allocations the launch only stores
 * to in a log, those to allocations it also loads from ("mixed") in an overlay that its own loads
 * see. Blocks are finished in the order of their index. When a block's turn comes it is checked
 * against what was stored since it started: an allocation it loaded from that was not known to be
 * mixed, or a granule of a mixed one. If nothing it saw was too old its stores are applied;
 * otherwise it runs again, now that all blocks before it are done.
 *
 * A block may load a word while the stores of another are being applied to it. What it gets is then
 * found to be too old, and nothing it did with it reaches memory; that is the only race there is.
 */
#include "emulator/launch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/overlay.h"
#include "emulator/record.h"

/* Instructions between two looks at whether a block still makes sense. */
#define LOOK_EVERY (1u << 17)
#define MAX_MIXED  64
/* Blocks a thread may be ahead by: enough that nobody waits for a slower neighbour. */
#define BLOCKS_PER_THREAD 64
/* Blocks of fewer warp instructions than this are run several at a time. */
/* Bytes of stores and traces that may wait for their turn before no more blocks are started. */
#define MAX_WAITING_BYTES ((uint64_t)512 << 20)
#define SHORT_BLOCK       4000
#define MAX_BATCH         8

struct stored_allocation {
    uint64_t base;
    uint64_t version; /* blocks applied right after the last store */
};

enum outcome { COMPLETE, ABANDONED, SPINNING };

/* A block that has run and waits for its turn. */
struct waiting {
    struct emu_block *block; /* what it left behind; NULL: not there yet */
    struct strata_block *record;
    uint64_t bytes; /* of both */
    enum outcome outcome;
};

struct emu_ahead {
    struct emu_launch *l;
    pthread_mutex_t lock;
    pthread_cond_t change;
    uint32_t n_sleeping;
    uint64_t started;        /* next block to be started */
    uint64_t applied;        /* blocks whose stores are in memory */
    struct waiting *waiting; /* ring, by index */
    uint32_t window; /* its size: blocks between the first not applied and the last started */
    struct emu_block *free;
    bool finishing; /* a thread is at it */
    uint64_t waiting_bytes;
    /* what applied blocks stored to, allocation by allocation */
    struct stored_allocation stored[2 * EMU_MAX_TOUCHED];
    uint32_t n_stored;
    uint64_t all_stored; /* version of all others: more allocations than could be told apart */
    struct emu_mixed *mixed[MAX_MIXED];
    _Atomic uint32_t n_mixed; /* grows only: read without the lock */
    uint64_t repeated;        /* blocks that ran twice */
    bool stop;                /* no more blocks */
    bool rest, spins;
    strata_status status;
};

struct worker {
    struct emu_ahead *ahead;
    struct emu_block *block; /* what it runs blocks in */
    unsigned batch;          /* blocks to take at once */
    struct strata_builder *builder;
    pthread_t thread;
};

/* ---- what was stored ---- */

uint32_t emu_mixed_count(struct emu_ahead *a)
{
    return a->n_mixed;
}

const struct emu_mixed *emu_mixed_find(struct emu_ahead *a, uint64_t base)
{
    uint32_t n = a->n_mixed;
    for (uint32_t i = 0; i < n; i++)
        if (a->mixed[i]->base == base)
            return a->mixed[i];
    return NULL;
}

/* All that follows runs with the lock held. */

static uint64_t stored_version(const struct emu_ahead *a, uint64_t base)
{
    uint64_t version = a->all_stored;
    for (uint32_t i = 0; i < a->n_stored; i++)
        if (a->stored[i].base == base && a->stored[i].version > version)
            version = a->stored[i].version;
    return version;
}

static void note_stored(struct emu_ahead *a, uint64_t base, uint64_t version)
{
    for (uint32_t i = 0; i < a->n_stored; i++)
        if (a->stored[i].base == base) {
            a->stored[i].version = version;
            return;
        }
    if (a->n_stored == sizeof a->stored / sizeof *a->stored)
        a->all_stored = version;
    else
        a->stored[a->n_stored++] = (struct stored_allocation){base, version};
}

/* From now on blocks keep an overlay of this allocation. Who stored to it so far is not known in
 * detail: its granules begin as if stored to just now. */
static void make_mixed(struct emu_ahead *a, uint64_t base)
{
    struct strata_memory_range range;
    for (uint32_t i = 0; i < a->n_mixed; i++)
        if (a->mixed[i]->base == base)
            return;
    if (a->n_mixed == MAX_MIXED || !emu_find_range(a->l->run.module, base, &range))
        return;
    struct emu_mixed *mixed = emu_mixed_create(range, (uint32_t)a->applied);
    if (mixed) {
        a->mixed[a->n_mixed] = mixed;
        a->n_mixed++;
    }
}

static bool holds(const struct emu_touched *set, uint64_t base)
{
    for (uint32_t i = 0; i < set->n; i++)
        if (set->base[i] == base)
            return true;
    return set->overflow;
}

static bool stores_too_much(const struct emu_block *block)
{
    return block->deferred.overflow || emu_overlay_is_full(block->overlay);
}

/* May the block have seen a value too old? Allocations at fault become mixed. */
static bool saw_old_values(struct emu_ahead *a, const struct emu_block *block)
{
    bool old = stores_too_much(block) ||
               emu_overlay_is_stale(block->overlay, a->mixed, a->n_mixed, block->start);
    for (uint32_t i = 0; i < block->loaded.n; i++) {
        uint64_t base = block->loaded.base[i];
        if (stored_version(a, base) > block->start || holds(&block->stored, base)) {
            make_mixed(a, base);
            old = true;
        }
    }
    for (uint32_t i = 0; i < block->sampled.n; i++) /* textures do not see stores of their block */
        old |= stored_version(a, block->sampled.base[i]) > block->start;
    bool unknown = block->loaded.overflow || block->sampled.overflow;
    return old || (unknown && (block->start < a->applied || block->stored.n));
}

/* ---- running ---- */

static uint64_t bytes_of(const struct waiting *w)
{
    uint64_t record = w->record ? w->record->warp_offset[w->record->n_warps] : 0;
    return w->block->deferred.n + emu_overlay_bytes(w->block->overlay) + record;
}

/* Runs the block to its end, or until it cannot be right any more. Without the lock. */
static enum outcome run_block(struct emu_ahead *a, struct emu_block *block)
{
    uint64_t limit = a->l->run.opt->instruction_limit;
    for (;;) {
        enum emu_progress progress = emu_block_run(block, LOOK_EVERY);
        if (progress == EMU_BLOCK_DONE || progress == EMU_BLOCK_FAILED)
            return COMPLETE;
        if (progress == EMU_BLOCK_SPINS)
            return SPINNING;
        pthread_mutex_lock(&a->lock);
        bool hopeless = a->stop || (block->ahead && saw_old_values(a, block));
        pthread_mutex_unlock(&a->lock);
        if (hopeless)
            return ABANDONED;
        if (limit && block->instructions > limit) {
            block->failed = true;
            strata_fail(&block->error, STRATA_ELIMIT, a->l->run.image->file, 0, 0,
                        "kernel \"%s\" executed more than the limit of %llu warp instructions",
                        a->l->run.image->name, (unsigned long long)limit);
            return COMPLETE;
        }
    }
}

/* From the kernel's start; *out takes what it leaves behind, with its trace if it is complete.
 * Without the lock. */
static void run_from_start(struct worker *w, uint64_t index, uint64_t start, bool ahead,
                           struct waiting *out)
{
    struct emu_ahead *a = w->ahead;
    struct emu_block *block = w->block;
    block->ahead = ahead;
    block->start = start;
    strata_block_destroy(out->record);
    out->record = NULL;
    emu_block_start(block, index, emu_launch_records(a->l, index));
    out->outcome = run_block(a, block);
    if (out->outcome == COMPLETE && !block->failed && block->recording)
        block->failed =
            emu_record_finish(block, w->builder, &out->record, &block->error) != STRATA_OK;
    emu_block_hand_over(block, out->block);
}

/* ---- a block's turn; the lock is held, and given up where said ---- */

static void wake(struct emu_ahead *a)
{
    if (a->n_sleeping)
        pthread_cond_broadcast(&a->change);
}

static void stop(struct emu_ahead *a, strata_status status)
{
    a->stop = true;
    a->status = status;
    wake(a);
}

/* Again, now that it is first in line: what it loads is up to date, only its own stores to
 * allocations not yet known to be mixed can be in the way. The last resort stores directly, and
 * makes all others that run repeat. Gives up the lock while the block runs. */
static void run_again(struct worker *w, struct waiting *turn)
{
    struct emu_ahead *a = w->ahead;
    struct emu_block *block = turn->block;
    for (unsigned attempt = 0; attempt < 3; attempt++) {
        bool ahead = attempt < 2 && !stores_too_much(block);
        w->block->slots_overlays = UINT32_MAX; /* find out anew what it touches */
        a->repeated++;
        if (!ahead)
            a->all_stored = block->index + 1;
        pthread_mutex_unlock(&a->lock);
        run_from_start(w, block->index, block->index, ahead, turn);
        pthread_mutex_lock(&a->lock);
        if (turn->outcome == SPINNING || !ahead ||
            (turn->outcome == COMPLETE && !saw_old_values(a, block)))
            return;
    }
}

static void apply(struct emu_ahead *a, struct emu_block *block)
{
    uint64_t version = block->index + 1;
    emu_deferred_apply(&block->deferred);
    for (uint32_t i = 0; i < block->stored.n; i++)
        note_stored(a, block->stored.base[i], version);
    if (block->stored.overflow)
        a->all_stored = version;
    emu_overlay_apply(block->overlay, a->mixed, a->n_mixed, (uint32_t)version);
}

/* Blocks that mostly depend on the one before gain nothing from running ahead. */
static bool is_worth_while(const struct emu_ahead *a)
{
    return a->repeated < 32 || a->repeated < a->applied / 2;
}

/* Gives up the lock while the sink takes the trace. */
static void finish(struct worker *w, struct waiting *turn)
{
    struct emu_ahead *a = w->ahead;
    struct emu_block *block = turn->block;
    if (turn->outcome != COMPLETE || saw_old_values(a, block))
        run_again(w, turn);
    if (turn->outcome != COMPLETE) { /* it waits for a block behind it */
        a->rest = true;
        a->spins = turn->outcome == SPINNING;
        stop(a, STRATA_OK);
        return;
    }
    if (block->failed) {
        if (a->l->err)
            *a->l->err = block->error;
        stop(a, block->error.status);
        return;
    }
    if (block->ahead)
        apply(a, block);
    a->applied++;
    struct strata_block *record = turn->record;
    turn->record = NULL;
    pthread_mutex_unlock(&a->lock);
    strata_status status = emu_launch_finish(a->l, block, record);
    pthread_mutex_lock(&a->lock);
    if (status != STRATA_OK) {
        stop(a, status);
    } else if (!is_worth_while(a) && a->applied < a->l->run.n_blocks) {
        a->rest = true;
        stop(a, STRATA_OK);
    }
}

/* Finishes all blocks whose turn it is, unless another thread is at it. */
static void finish_ready(struct worker *w)
{
    struct emu_ahead *a = w->ahead;
    if (a->finishing)
        return;
    a->finishing = true;
    struct waiting *turn = &a->waiting[a->applied % a->window];
    while (!a->stop && turn->block) {
        finish(w, turn);
        if (a->stop)
            break;
        a->waiting_bytes -= turn->bytes;
        turn->block->next = a->free;
        a->free = turn->block;
        turn->block = NULL;
        wake(a);
        turn = &a->waiting[a->applied % a->window];
    }
    a->finishing = false;
}

/* The block whose turn it is may always start. */
static bool may_start(const struct emu_ahead *a)
{
    return a->started < a->l->run.n_blocks && a->free &&
           (a->waiting_bytes < MAX_WAITING_BYTES || a->started == a->applied);
}

/* Runs the next blocks that have not been started: several where they are short, so that the lock
 * is not taken too often. */
static void run_next(struct worker *w)
{
    struct emu_ahead *a = w->ahead;
    struct waiting batch[MAX_BATCH];
    uint64_t first = a->started, start = a->applied;
    unsigned n = 0;
    while (n < w->batch && may_start(a)) {
        batch[n++] = (struct waiting){.block = a->free};
        a->free = a->free->next;
        a->started++;
    }
    pthread_mutex_unlock(&a->lock);
    uint64_t instructions = 0;
    for (unsigned i = 0; i < n; i++) {
        run_from_start(w, first + i, start, true, &batch[i]);
        instructions += batch[i].block->instructions;
        batch[i].bytes = bytes_of(&batch[i]);
    }
    w->batch = instructions / n < SHORT_BLOCK ? MAX_BATCH : 1;
    pthread_mutex_lock(&a->lock);
    for (unsigned i = 0; i < n; i++) {
        a->waiting[(first + i) % a->window] = batch[i];
        a->waiting_bytes += batch[i].bytes;
    }
    if (first == a->applied)
        wake(a);
}

static void *work(void *user)
{
    struct worker *w = user;
    struct emu_ahead *a = w->ahead;
    uint64_t n = a->l->run.n_blocks;
    pthread_mutex_lock(&a->lock);
    for (;;) {
        finish_ready(w);
        if (a->stop || a->applied == n)
            break;
        if (may_start(a)) {
            run_next(w);
            continue;
        }
        if (!a->finishing && a->waiting[a->applied % a->window].block)
            continue;
        a->n_sleeping++;
        pthread_cond_wait(&a->change, &a->lock);
        a->n_sleeping--;
    }
    wake(a);
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

/* ---- all of it ---- */

static strata_status no_memory(struct emu_launch *l)
{
    return strata_no_memory(l->err, NULL, "for the state of a block");
}

/* What blocks between start and finish leave behind. */
static strata_status create_waiting(struct emu_ahead *a, uint32_t threads)
{
    a->window = threads * BLOCKS_PER_THREAD;
    a->waiting = calloc(a->window, sizeof *a->waiting);
    if (!a->waiting)
        return no_memory(a->l);
    for (uint32_t i = 0; i < a->window; i++) {
        struct emu_block *block = calloc(1, sizeof *block);
        if (!block)
            return no_memory(a->l);
        block->next = a->free;
        a->free = block;
        block->overlay = emu_overlay_create();
        if (!block->overlay)
            return no_memory(a->l);
    }
    return STRATA_OK;
}

static strata_status prepare(struct worker *w, struct emu_ahead *a)
{
    w->ahead = a;
    w->batch = 1;
    w->block = emu_block_create(&a->l->run);
    if (w->block)
        w->block->overlay = emu_overlay_create();
    if (!w->block || !w->block->overlay)
        return no_memory(a->l);
    return a->l->run.code ? strata_builder_create(a->l->run.image->record, &w->builder, a->l->err)
                          : STRATA_OK;
}

static void release(struct emu_ahead *a)
{
    for (uint32_t i = 0; a->waiting && i < a->window; i++) {
        emu_block_destroy(a->waiting[i].block);
        strata_block_destroy(a->waiting[i].record);
    }
    while (a->free) {
        struct emu_block *next = a->free->next;
        emu_block_destroy(a->free);
        a->free = next;
    }
    for (uint32_t i = 0; i < a->n_mixed; i++)
        emu_mixed_destroy(a->mixed[i]);
    free(a->waiting);
    pthread_mutex_destroy(&a->lock);
    pthread_cond_destroy(&a->change);
    free(a);
}

static void run_workers(struct worker *workers, uint32_t n)
{
    uint32_t running = 0;
    /* This thread works too; one that cannot be started is not needed. */
    while (running + 1 < n &&
           !pthread_create(&workers[running + 1].thread, NULL, work, &workers[running + 1]))
        running++;
    work(&workers[0]);
    for (uint32_t i = 1; i <= running; i++)
        pthread_join(workers[i].thread, NULL);
}

strata_status emu_run_parallel(struct emu_launch *l, uint32_t threads, bool *rest, bool *spins)
{
    struct emu_ahead *a = calloc(1, sizeof *a);
    uint32_t n = threads > l->run.n_blocks ? (uint32_t)l->run.n_blocks : threads;
    struct worker *workers = calloc(n, sizeof *workers);
    if (!a || !workers) {
        free(a);
        free(workers);
        return no_memory(l);
    }
    a->l = l;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->change, NULL);
    l->run.ahead = a;
    strata_status status = create_waiting(a, n);
    for (uint32_t i = 0; i < n && status == STRATA_OK; i++)
        status = prepare(&workers[i], a);
    if (status == STRATA_OK) {
        run_workers(workers, n);
        status = a->status;
    }
    *rest = a->rest;
    *spins = a->spins;
    for (uint32_t i = 0; i < n; i++) {
        emu_block_destroy(workers[i].block);
        strata_builder_destroy(workers[i].builder);
    }
    free(workers);
    l->run.ahead = NULL;
    release(a);
    return status;
}
