/* queue.c - queues of warps, one a core. */
#include "reuse/queue.h"

#include <stdlib.h>
#include <string.h>

struct sleeper {
    uint64_t wake, order;
    uint32_t warp;
};

struct core {
    uint32_t *ring; /* warps ready, power-of-two capacity */
    uint32_t head, tail, mask;
    struct sleeper *heap;
    uint32_t n_asleep;
    uint64_t now, order;
};

struct queue {
    struct residents *r;
    struct core *core;
    struct strata_winst *held; /* per warp: an access to try again */
    bool *has_held;
    bool failed;
};

static void push(struct core *c, uint32_t warp)
{
    c->ring[c->tail++ & c->mask] = warp;
}

static bool earlier(const struct sleeper *a, const struct sleeper *b)
{
    return a->wake != b->wake ? a->wake < b->wake : a->order < b->order;
}

static void sleep_until(struct core *c, uint32_t warp, uint64_t wake)
{
    struct sleeper s = {.wake = wake, .order = c->order++, .warp = warp};
    uint32_t i = c->n_asleep++;
    for (; i && earlier(&s, &c->heap[(i - 1) / 2]); i = (i - 1) / 2)
        c->heap[i] = c->heap[(i - 1) / 2];
    c->heap[i] = s;
}

static uint32_t take_sleeper(struct core *c)
{
    uint32_t warp = c->heap[0].warp, i = 0;
    struct sleeper s = c->heap[--c->n_asleep];
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= c->n_asleep)
            break;
        if (child + 1 < c->n_asleep && earlier(&c->heap[child + 1], &c->heap[child]))
            child++;
        if (!earlier(&c->heap[child], &s))
            break;
        c->heap[i] = c->heap[child];
        i = child;
    }
    c->heap[i] = s;
    return warp;
}

static void wake_due(struct core *c)
{
    while (c->n_asleep && c->heap[0].wake <= c->now)
        push(c, take_sleeper(c));
}

static void begin_warp(void *context, uint32_t core, uint32_t warp)
{
    struct queue *q = context;
    push(&q->core[core], warp);
}

static strata_status end_warp(struct queue *q, uint32_t core, uint32_t warp,
                              struct strata_error *err)
{
    uint64_t now = q->core[core].now;
    if (!residents_end(q->r, warp))
        return STRATA_OK;
    strata_status st = residents_fill(q->r, begin_warp, q, err);
    /* a core that stood idle starts its new block now, not in its past */
    for (uint32_t c = 0; c < q->r->n_cores; c++)
        if (c != core && q->core[c].now < now && q->core[c].head == q->core[c].tail &&
            !q->core[c].n_asleep)
            q->core[c].now = now;
    return st;
}

static strata_status step(struct queue *q, uint32_t index, queue_visit visit, void *context,
                          struct strata_error *err)
{
    struct core *c = &q->core[index];
    if (c->head == c->tail) { /* nobody is ready: time passes */
        c->now = c->heap[0].wake > c->now ? c->heap[0].wake : c->now;
        wake_due(c);
    }
    uint32_t warp = c->ring[c->head++ & c->mask];
    struct strata_winst *w = &q->held[warp];
    if (!q->has_held[warp] && !residents_next(q->r, warp, w))
        return end_warp(q, index, warp, err);
    struct queue_outcome out = {.units = 1};
    uint64_t now = c->now;
    strata_status st = visit(context, index, warp, w, now, &out, err);
    if (st != STRATA_OK)
        return st;
    q->has_held[warp] = out.cancelled;
    c->now += out.units ? out.units : 1;
    /* Those whose data has come go first, then the warp of this turn. */
    wake_due(c);
    if (now + out.delay <= c->now)
        push(c, warp);
    else
        sleep_until(c, warp, now + out.delay);
    return STRATA_OK;
}

/* The core with the least time that has a warp; n_cores if none has. */
static uint32_t choose_core(const struct queue *q)
{
    uint32_t best = q->r->n_cores;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < q->r->n_cores; i++) {
        const struct core *c = &q->core[i];
        bool ready = c->head != c->tail;
        if (!ready && !c->n_asleep)
            continue;
        uint64_t t = ready || c->heap[0].wake < c->now ? c->now : c->heap[0].wake;
        if (t < least) {
            least = t;
            best = i;
        }
    }
    return best;
}

static strata_status init_cores(struct queue *q, struct strata_error *err)
{
    struct residents *r = q->r;
    uint32_t per_core = r->places * r->warps_per_block, ring = 1;
    size_t n_warps = (size_t)r->n_cores * per_core;
    while (ring < per_core + 1)
        ring *= 2;
    q->core = calloc(r->n_cores, sizeof *q->core);
    q->held = calloc(n_warps, sizeof *q->held);
    q->has_held = calloc(n_warps, sizeof *q->has_held);
    bool ok = q->core && q->held && q->has_held;
    for (uint32_t i = 0; ok && i < r->n_cores; i++) {
        q->core[i].mask = ring - 1;
        q->core[i].ring = calloc(ring, sizeof *q->core[i].ring);
        q->core[i].heap = calloc(per_core + 1, sizeof *q->core[i].heap);
        ok = q->core[i].ring && q->core[i].heap;
    }
    return ok ? STRATA_OK : strata_no_memory(err, NULL, "for the queues of warps");
}

strata_status queue_run(struct residents *r, queue_visit visit, void *context,
                        struct strata_error *err)
{
    struct queue q = {.r = r};
    strata_status st = init_cores(&q, err);
    if (st == STRATA_OK)
        st = residents_fill(r, begin_warp, &q, err);
    for (uint32_t c; st == STRATA_OK && (c = choose_core(&q)) < r->n_cores;)
        st = step(&q, c, visit, context, err);
    for (uint32_t i = 0; q.core && i < r->n_cores; i++) {
        free(q.core[i].ring);
        free(q.core[i].heap);
    }
    free(q.core);
    free(q.held);
    free(q.has_held);
    return st;
}
