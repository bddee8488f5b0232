/* sim_notes.c - what SMs tell one another: operations on barriers of other blocks of a cluster, and
 * the barrier of the cluster itself. Between windows, by one thread, in the order of the SMs. */
#include "sim/sim_engine.h"

#include <stdlib.h>

#include "base/array.h"
#include "sm/cluster_rules.h"

void sim_notes_release(struct sim_engine *e)
{
    phase_barriers_release(&e->clusters);
    free(e->note);
}

static struct sim_sm *sm_of(struct sim_engine *e, uint64_t block)
{
    for (uint32_t s = 0; s < e->n_sms; s++)
        if (sim_block_of(&e->sm[s], block))
            return &e->sm[s];
    return NULL;
}

/* A warp arrives at the barrier of its cluster; the last one opens it. */
static bool cluster_note(struct sim_engine *e, const struct sim_note *n)
{
    const struct strata_launch *l = e->shared.launch;
    struct sm_cluster c = sm_cluster_of(l, n->block);
    struct phase_barrier *b = phase_barrier_at(&e->clusters, c.number, STRATA_NO_SHARED, NULL);
    if (!b)
        return false;
    if (!b->initialised)
        phase_barrier_apply(b, STRATA_BARRIER_INIT, c.blocks * strata_launch_warps_per_block(l), 0);
    if (!phase_barrier_apply(b, n->op, n->value, n->time))
        return true;
    uint64_t t = b->ended + e->gpu->sm.cluster_latency_cycles;
    for (uint32_t rank = 0; rank < c.blocks; rank++) {
        uint64_t mate = sm_cluster_mate(l, n->block, rank);
        struct sim_sm *s = sm_of(e, mate);
        if (s)
            sim_async_cluster_opens(s, mate, t, e->end);
    }
    return true;
}

/* Notes to a block that has not started yet are kept; blocks start in the order of their index. */
static bool pass_on(struct sim_engine *e, const struct sim_note *n)
{
    if (n->shared == STRATA_NO_SHARED)
        return cluster_note(e, n);
    struct sim_sm *s = sm_of(e, n->block);
    if (s) {
        sim_async_take_note(s, n, e->end);
        return true;
    }
    if (n->block < e->blocks_started)
        return true;
    if (!ARRAY_RESERVE(e->note, e->n_notes, e->cap_notes, 1))
        return false;
    e->note[e->n_notes++] = *n;
    return true;
}

bool sim_notes_exchange(struct sim_engine *e)
{
    size_t kept = e->n_notes;
    bool ok = true;
    e->n_notes = 0;
    for (size_t i = 0; i < kept && ok; i++) { /* what is kept again overwrites what was read */
        struct sim_note n = e->note[i];
        ok = pass_on(e, &n);
    }
    for (uint32_t s = 0; s < e->n_sms && ok; s++) {
        struct sim_async *a = &e->sm[s].async;
        for (size_t i = 0; i < a->n_notes && ok; i++) {
            struct sim_note n = a->note[i];
            ok = pass_on(e, &n);
        }
        a->n_notes = 0;
    }
    return ok;
}
