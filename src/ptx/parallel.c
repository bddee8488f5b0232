/* parallel.c - blocks run ahead of their turn on several threads.
 *
 * A block that runs ahead keeps its stores and reductions in a log and remembers which allocations
 * it loads from and stores to. When its turn comes (blocks are finished in the order of their
 * index) it is checked: if it loaded from an allocation that it or an earlier block of the launch
 * stores to, it may have seen values too old, and from this block on the launch continues one block
 * after the other. Otherwise the log is applied. So the outcome is that of running block after
 * block, and the block at which the way changes is the same for any number of threads: up to its
 * first load from a stored allocation a block behaves as if it had waited for its turn. */
#include "ptx/launch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/record.h"

/* Instructions between two looks at whether a block still makes sense. */
#define LOOK_EVERY (1u << 17)

struct ahead {
    struct ptx_launch *l;
    pthread_mutex_t lock;
    pthread_cond_t turn;
    uint64_t started;          /* next block to be started */
    struct ptx_touched stored; /* by all finished blocks */
    bool stop;                 /* no more blocks: conflict or failure */
    bool conflict;
    strata_status status;
};

struct worker {
    struct ahead *ahead;
    struct ptx_block *block;
    struct strata_builder *builder;
    pthread_t thread;
};

static bool meet(const struct ptx_touched *a, const struct ptx_touched *b)
{
    if ((a->overflow && b->n) || (b->overflow && a->n))
        return true;
    for (uint32_t i = 0; i < a->n; i++)
        for (uint32_t k = 0; k < b->n; k++)
            if (a->base[i] == b->base[k])
                return true;
    return false;
}

static void merge(struct ptx_touched *into, const struct ptx_touched *from)
{
    for (uint32_t i = 0; i < from->n; i++) {
        bool known = false;
        for (uint32_t k = 0; !known && k < into->n; k++)
            known = into->base[k] == from->base[i];
        if (known)
            continue;
        if (into->n == PTX_MAX_TOUCHED)
            into->overflow = true;
        else
            into->base[into->n++] = from->base[i];
    }
    into->overflow |= from->overflow;
}

/* With the lock held: would it be wrong to finish this block as it is? */
static bool in_conflict(const struct ahead *a, const struct ptx_block *block)
{
    return meet(&block->loaded, &a->stored) || meet(&block->loaded, &block->stored);
}

/* Runs the block to its end, or until it cannot be right any more. */
static bool run_block(struct worker *w)
{
    struct ahead *a = w->ahead;
    struct ptx_block *block = w->block;
    uint64_t limit = a->l->run.opt->instruction_limit;
    for (;;) {
        enum ptx_progress progress = ptx_block_run(block, LOOK_EVERY);
        if (progress == PTX_BLOCK_DONE || progress == PTX_BLOCK_FAILED)
            return true;
        if (progress == PTX_BLOCK_SPINS)
            return false;
        pthread_mutex_lock(&a->lock);
        bool hopeless = a->stop || in_conflict(a, block);
        pthread_mutex_unlock(&a->lock);
        if (hopeless)
            return false;
        if (limit && block->clock > limit) {
            block->failed = true;
            strata_fail(&block->error, STRATA_ELIMIT, a->l->run.image->file, 0, 0,
                        "kernel \"%s\" executed more than the limit of %llu warp instructions",
                        a->l->run.image->name, (unsigned long long)limit);
            return true;
        }
    }
}

static void stop(struct ahead *a, strata_status status, bool conflict)
{
    a->stop = true;
    a->conflict = conflict;
    a->status = status;
    pthread_cond_broadcast(&a->turn);
}

/* The block's turn has come; the lock is held. */
static void finish(struct worker *w, bool complete, struct strata_block *record)
{
    struct ahead *a = w->ahead;
    struct ptx_block *block = w->block;
    if (!complete || in_conflict(a, block)) {
        strata_block_destroy(record);
        stop(a, STRATA_OK, true);
        return;
    }
    if (block->failed) {
        if (a->l->err)
            *a->l->err = block->error;
        strata_block_destroy(record);
        stop(a, block->error.status, false);
        return;
    }
    ptx_deferred_apply(&block->deferred);
    merge(&a->stored, &block->stored);
    strata_status status = ptx_launch_finish(a->l, block, record);
    if (status != STRATA_OK)
        stop(a, status, false);
    pthread_cond_broadcast(&a->turn);
}

static void *work(void *user)
{
    struct worker *w = user;
    struct ahead *a = w->ahead;
    struct ptx_launch *l = a->l;
    for (;;) {
        pthread_mutex_lock(&a->lock);
        uint64_t index = a->stop || a->started == l->run.n_blocks ? UINT64_MAX : a->started++;
        pthread_mutex_unlock(&a->lock);
        if (index == UINT64_MAX)
            return NULL;
        ptx_block_start(w->block, index, ptx_launch_records(l, index));
        bool complete = run_block(w);
        struct strata_block *record = NULL;
        if (complete && !w->block->failed && w->block->recording) {
            strata_status status =
                ptx_record_finish(w->block, w->builder, &record, &w->block->error);
            w->block->failed = status != STRATA_OK;
        }
        pthread_mutex_lock(&a->lock);
        while (l->next != index && !a->stop)
            pthread_cond_wait(&a->turn, &a->lock);
        if (a->stop)
            strata_block_destroy(record);
        else
            finish(w, complete, record);
        pthread_mutex_unlock(&a->lock);
    }
}

static strata_status prepare(struct worker *w, struct ahead *a)
{
    struct ptx_launch *l = a->l;
    w->ahead = a;
    w->block = ptx_block_create(&l->run);
    if (!w->block)
        return strata_fail(l->err, STRATA_ENOMEM, NULL, 0, 0,
                           "out of memory for the state of a block");
    if (!l->run.code)
        return STRATA_OK;
    return strata_builder_create(l->run.image->record, &w->builder, l->err);
}

strata_status ptx_run_parallel(struct ptx_launch *l, uint32_t threads, bool *rest)
{
    struct ahead a = {.l = l};
    uint32_t n = threads > l->run.n_blocks ? (uint32_t)l->run.n_blocks : threads, ready = 0,
             running = 0;
    struct worker *workers = calloc(n, sizeof *workers);
    if (!workers)
        return strata_fail(l->err, STRATA_ENOMEM, NULL, 0, 0, "out of memory for a launch");
    pthread_mutex_init(&a.lock, NULL);
    pthread_cond_init(&a.turn, NULL);
    l->run.defer_stores = true;
    for (; ready < n && a.status == STRATA_OK; ready++)
        a.status = prepare(&workers[ready], &a);
    if (a.status == STRATA_OK) {
        /* This thread works too; one that cannot be started is not needed. */
        while (running + 1 < n &&
               !pthread_create(&workers[running + 1].thread, NULL, work, &workers[running + 1]))
            running++;
        work(&workers[0]);
        for (uint32_t i = 1; i <= running; i++)
            pthread_join(workers[i].thread, NULL);
    }
    for (uint32_t i = 0; i < ready; i++) {
        ptx_block_destroy(workers[i].block);
        strata_builder_destroy(workers[i].builder);
    }
    free(workers);
    pthread_mutex_destroy(&a.lock);
    pthread_cond_destroy(&a.turn);
    *rest = a.conflict;
    return a.status;
}
