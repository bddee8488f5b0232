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
 * found to be too old, and nothing it did with it reaches memory; that is the only race there is. */
#include "ptx/launch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/overlay.h"
#include "ptx/record.h"

/* Instructions between two looks at whether a block still makes sense. */
#define LOOK_EVERY (1u << 17)
#define MAX_MIXED  64

struct stored_allocation {
    uint64_t base;
    uint64_t version; /* blocks finished right after the last store */
};

struct ptx_ahead {
    struct ptx_launch *l;
    pthread_mutex_t lock;
    pthread_cond_t turn;
    uint64_t started; /* next block to be started */
    /* what finished blocks stored to, allocation by allocation */
    struct stored_allocation stored[2 * PTX_MAX_TOUCHED];
    uint32_t n_stored;
    uint64_t all_stored; /* version of all others: more allocations than could be told apart */
    struct ptx_mixed *mixed[MAX_MIXED];
    uint32_t n_mixed;
    uint64_t repeated; /* blocks that ran twice */
    bool stop;         /* no more blocks */
    bool rest, spins;
    strata_status status;
};

struct worker {
    struct ptx_ahead *ahead;
    struct ptx_block *block;
    struct strata_builder *builder;
    struct strata_block *record; /* of the block, once complete */
    pthread_t thread;
};

/* ---- what was stored ---- */

const struct ptx_mixed *ptx_mixed_find(struct ptx_ahead *a, uint64_t base)
{
    const struct ptx_mixed *found = NULL;
    pthread_mutex_lock(&a->lock);
    for (uint32_t i = 0; i < a->n_mixed; i++)
        if (a->mixed[i]->base == base)
            found = a->mixed[i];
    pthread_mutex_unlock(&a->lock);
    return found;
}

/* All that follows runs with the lock held. */

static uint64_t stored_version(const struct ptx_ahead *a, uint64_t base)
{
    uint64_t version = a->all_stored;
    for (uint32_t i = 0; i < a->n_stored; i++)
        if (a->stored[i].base == base && a->stored[i].version > version)
            version = a->stored[i].version;
    return version;
}

static void note_stored(struct ptx_ahead *a, uint64_t base, uint64_t version)
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
static void make_mixed(struct ptx_ahead *a, uint64_t base)
{
    struct strata_ptx_range range;
    for (uint32_t i = 0; i < a->n_mixed; i++)
        if (a->mixed[i]->base == base)
            return;
    if (a->n_mixed == MAX_MIXED || !ptx_find_range(a->l->run.module, base, &range))
        return;
    struct ptx_mixed *mixed = ptx_mixed_create(range, (uint32_t)a->l->next);
    if (mixed)
        a->mixed[a->n_mixed++] = mixed;
}

static bool holds(const struct ptx_touched *set, uint64_t base)
{
    for (uint32_t i = 0; i < set->n; i++)
        if (set->base[i] == base)
            return true;
    return set->overflow;
}

static bool stores_too_much(const struct ptx_block *block)
{
    return block->deferred.overflow || ptx_overlay_is_full(block->overlay);
}

/* May the block have seen a value too old? Allocations at fault become mixed. */
static bool saw_old_values(struct ptx_ahead *a, const struct ptx_block *block)
{
    bool old = stores_too_much(block) ||
               ptx_overlay_is_stale(block->overlay, a->mixed, a->n_mixed, block->start);
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
    return old || (unknown && (block->start < a->l->next || block->stored.n));
}

/* ---- running ---- */

enum outcome { COMPLETE, ABANDONED, SPINNING };

/* Runs the block to its end, or until it cannot be right any more. */
static enum outcome run_block(struct worker *w)
{
    struct ptx_ahead *a = w->ahead;
    struct ptx_block *block = w->block;
    uint64_t limit = a->l->run.opt->instruction_limit;
    for (;;) {
        enum ptx_progress progress = ptx_block_run(block, LOOK_EVERY);
        if (progress == PTX_BLOCK_DONE || progress == PTX_BLOCK_FAILED)
            return COMPLETE;
        if (progress == PTX_BLOCK_SPINS)
            return SPINNING;
        pthread_mutex_lock(&a->lock);
        bool hopeless = a->stop || (block->ahead && saw_old_values(a, block));
        pthread_mutex_unlock(&a->lock);
        if (hopeless)
            return ABANDONED;
        if (limit && block->clock > limit) {
            block->failed = true;
            strata_fail(&block->error, STRATA_ELIMIT, a->l->run.image->file, 0, 0,
                        "kernel \"%s\" executed more than the limit of %llu warp instructions",
                        a->l->run.image->name, (unsigned long long)limit);
            return COMPLETE;
        }
    }
}

static enum outcome run_from_start(struct worker *w, uint64_t index, uint64_t start, bool ahead)
{
    struct ptx_block *block = w->block;
    block->ahead = ahead;
    block->start = start;
    strata_block_destroy(w->record);
    w->record = NULL;
    ptx_block_start(block, index, ptx_launch_records(w->ahead->l, index));
    enum outcome outcome = run_block(w);
    if (outcome == COMPLETE && !block->failed && block->recording)
        block->failed =
            ptx_record_finish(block, w->builder, &w->record, &block->error) != STRATA_OK;
    return outcome;
}

static void stop(struct ptx_ahead *a, strata_status status)
{
    a->stop = true;
    a->status = status;
    pthread_cond_broadcast(&a->turn);
}

/* ---- a block's turn ---- */

/* Again, now that it is first in line: what it loads is up to date, only its own stores to
 * allocations not yet known to be mixed can be in the way. The last resort stores directly, and
 * makes all others that run repeat. The lock is held, and given up while the block runs. */
static enum outcome run_again(struct worker *w, uint64_t index)
{
    struct ptx_ahead *a = w->ahead;
    enum outcome outcome = ABANDONED;
    for (unsigned attempt = 0; attempt < 3; attempt++) {
        bool ahead = attempt < 2 && !stores_too_much(w->block);
        a->repeated++;
        if (!ahead)
            a->all_stored = index + 1;
        pthread_mutex_unlock(&a->lock);
        outcome = run_from_start(w, index, index, ahead);
        pthread_mutex_lock(&a->lock);
        if (outcome == SPINNING || !ahead || (outcome == COMPLETE && !saw_old_values(a, w->block)))
            break;
    }
    return outcome;
}

static void apply(struct ptx_ahead *a, struct ptx_block *block)
{
    uint64_t version = block->index + 1;
    ptx_deferred_apply(&block->deferred);
    for (uint32_t i = 0; i < block->stored.n; i++)
        note_stored(a, block->stored.base[i], version);
    if (block->stored.overflow)
        a->all_stored = version;
    ptx_overlay_apply(block->overlay, a->mixed, a->n_mixed, (uint32_t)version);
}

/* Blocks that mostly depend on the one before gain nothing from running ahead. */
static bool is_worth_while(const struct ptx_ahead *a)
{
    return a->repeated < 32 || a->repeated < a->l->next / 2;
}

static void take_turn(struct worker *w, enum outcome outcome)
{
    struct ptx_ahead *a = w->ahead;
    struct ptx_block *block = w->block;
    uint64_t index = block->index;
    if (outcome != COMPLETE || saw_old_values(a, block))
        outcome = run_again(w, index);
    if (outcome != COMPLETE) { /* it waits for a block behind it */
        a->rest = true;
        a->spins = outcome == SPINNING;
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
    struct strata_block *record = w->record;
    w->record = NULL;
    strata_status status = ptx_launch_finish(a->l, block, record);
    if (status != STRATA_OK) {
        stop(a, status);
    } else if (!is_worth_while(a) && a->l->next < a->l->run.n_blocks) {
        a->rest = true;
        stop(a, STRATA_OK);
    }
    pthread_cond_broadcast(&a->turn);
}

static void *work(void *user)
{
    struct worker *w = user;
    struct ptx_ahead *a = w->ahead;
    struct ptx_launch *l = a->l;
    pthread_mutex_lock(&a->lock);
    while (!a->stop && a->started < l->run.n_blocks) {
        uint64_t index = a->started++, start = l->next;
        pthread_mutex_unlock(&a->lock);
        enum outcome outcome = run_from_start(w, index, start, true);
        pthread_mutex_lock(&a->lock);
        while (l->next != index && !a->stop)
            pthread_cond_wait(&a->turn, &a->lock);
        if (!a->stop)
            take_turn(w, outcome);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

/* ---- all of it ---- */

static strata_status prepare(struct worker *w, struct ptx_ahead *a)
{
    struct ptx_launch *l = a->l;
    w->ahead = a;
    w->block = ptx_block_create(&l->run);
    if (w->block)
        w->block->overlay = ptx_overlay_create();
    if (!w->block || !w->block->overlay)
        return strata_fail(l->err, STRATA_ENOMEM, NULL, 0, 0,
                           "out of memory for the state of a block");
    if (!l->run.code)
        return STRATA_OK;
    return strata_builder_create(l->run.image->record, &w->builder, l->err);
}

static void run_workers(struct ptx_ahead *a, struct worker *workers, uint32_t n)
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

strata_status ptx_run_parallel(struct ptx_launch *l, uint32_t threads, bool *rest, bool *spins)
{
    struct ptx_ahead *a = calloc(1, sizeof *a);
    uint32_t n = threads > l->run.n_blocks ? (uint32_t)l->run.n_blocks : threads, ready = 0;
    struct worker *workers = calloc(n, sizeof *workers);
    if (!a || !workers) {
        free(a);
        free(workers);
        return strata_fail(l->err, STRATA_ENOMEM, NULL, 0, 0, "out of memory for a launch");
    }
    a->l = l;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->turn, NULL);
    l->run.ahead = a;
    for (; ready < n && a->status == STRATA_OK; ready++)
        a->status = prepare(&workers[ready], a);
    if (a->status == STRATA_OK)
        run_workers(a, workers, n);
    for (uint32_t i = 0; i < ready; i++) {
        ptx_block_destroy(workers[i].block);
        strata_builder_destroy(workers[i].builder);
        strata_block_destroy(workers[i].record);
    }
    for (uint32_t i = 0; i < a->n_mixed; i++)
        ptx_mixed_destroy(a->mixed[i]);
    strata_status status = a->status;
    *rest = a->rest;
    *spins = a->spins;
    l->run.ahead = NULL;
    pthread_mutex_destroy(&a->lock);
    pthread_cond_destroy(&a->turn);
    free(workers);
    free(a);
    return status;
}
