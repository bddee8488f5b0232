/* schedule.c - dependences of a region, and list scheduling. */
#include "sm/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

/* One instruction of the region that is being ordered. */
struct node {
    const struct strata_inst *inst;
    const struct sm_inst *sm;
    uint32_t latency;  /* cycles until its result can be used */
    uint32_t way;      /* cycles from its issue to the end of the region */
    uint32_t waits;    /* instructions before it that are still to issue */
    uint64_t earliest; /* by those that have issued */
    uint32_t uses;     /* instructions that read its result and are still to issue */
    bool done;
};

struct edge {
    uint16_t to;
    uint16_t latency;
    bool value; /* a result is read */
};

struct sm_draft {
    struct node node[SM_MAX_REGION];
    struct edge edge[SM_MAX_REGION * SM_MAX_REGION / 2];
    uint32_t first[SM_MAX_REGION + 1]; /* edges of a node, once sorted by node */
    uint32_t n;
};

static strata_status no_memory(struct strata_error *err)
{
    return strata_fail(err, STRATA_ENOMEM, NULL, 0, 0, "There is no memory left for the order of a launch's instructions.");
}

strata_status sm_scheduler_init(struct sm_scheduler *s, const struct sm_decoder *decoder, uint32_t registers,
                                struct strata_error *err)
{
    memset(s, 0, sizeof *s);
    s->decoder = decoder;
    s->registers = registers;
    s->mask = 255;
    s->table = calloc(s->mask + 1, sizeof *s->table);
    s->draft = malloc(sizeof *s->draft);
    if (s->table && s->draft)
        return STRATA_OK;
    sm_scheduler_release(s);
    return no_memory(err);
}

void sm_scheduler_release(struct sm_scheduler *s)
{
    for (uint32_t i = 0; s->table && i <= s->mask; i++) {
        free(s->table[i].inst);
        free(s->table[i].order);
    }
    free(s->table);
    free(s->draft);
    memset(s, 0, sizeof *s);
}

bool sm_ends_region(const struct strata_inst *i)
{
    switch (i->opclass) {
    case STRATA_OP_BRANCH:
    case STRATA_OP_EXIT:
    case STRATA_OP_BARRIER:
    case STRATA_OP_MEMBAR:
    case STRATA_OP_ASYNC_COMMIT:
    case STRATA_OP_ASYNC_WAIT:
    case STRATA_OP_NOP: /* also the barriers of a warp */
        return true;
    default:
        return false;
    }
}

/* ---- dependences ---- */

static bool reads_any(const struct sm_inst *a, const uint16_t *reg, unsigned n)
{
    for (unsigned k = 0; k < a->n_read; k++)
        for (unsigned j = 0; j < n; j++)
            if (a->read[k] == reg[j])
                return true;
    return false;
}

static bool writes_any(const struct sm_inst *a, const uint16_t *reg, unsigned n)
{
    for (unsigned k = 0; k < a->n_write; k++)
        for (unsigned j = 0; j < n; j++)
            if (a->write[k] == reg[j])
                return true;
    return false;
}

static bool writes_memory(const struct strata_inst *i)
{
    return i->memop == STRATA_MEM_STORE || i->memop == STRATA_MEM_ATOMIC || i->memop == STRATA_MEM_REDUCTION ||
           i->memop == STRATA_MEM_ASYNC_COPY;
}

static bool touches(const struct strata_inst *i, uint32_t space)
{
    return i->space == space || (space == STRATA_SPACE_SHARED && i->memop == STRATA_MEM_ASYNC_COPY);
}

/* Whether two accesses have to stay in order: one of them writes what the other may touch, or somebody
 * else may be watching. Data behind the read-only path is written by nobody. */
static bool in_order(const struct strata_inst *a, const struct strata_inst *b)
{
    if (a->opclass != STRATA_OP_MEM || b->opclass != STRATA_OP_MEM)
        return false;
    if ((a->hints | b->hints) & STRATA_HINT_VOLATILE)
        return true;
    if ((a->hints | b->hints) & STRATA_HINT_READ_ONLY || (!writes_memory(a) && !writes_memory(b)))
        return false;
    return touches(b, a->space) || touches(a, b->space);
}

static uint32_t result_latency(const struct sm_scheduler *s, const struct node *n)
{
    const struct strata_gpu *g = s->decoder->gpu;
    if (n->sm->kind == SM_KIND_GLOBAL)
        return g->l1.hit_cycles;
    return n->sm->kind == SM_KIND_SHARED ? g->shared.latency_cycles : n->sm->latency;
}

/* The edge between two instructions of a region, if the second has to follow the first. */
static bool depends(const struct node *a, const struct node *b, bool last, struct edge *e)
{
    if (reads_any(b->sm, a->sm->write, a->sm->n_write)) {
        *e = (struct edge){.latency = (uint16_t)a->latency, .value = true};
        return true;
    }
    *e = (struct edge){.latency = 1};
    return last || writes_any(b->sm, a->sm->write, a->sm->n_write) || reads_any(a->sm, b->sm->write, b->sm->n_write) ||
           in_order(a->inst, b->inst);
}

static void prepare(struct sm_scheduler *s, const uint32_t *inst, uint32_t n)
{
    struct sm_draft *d = s->draft;
    uint32_t n_edges = 0;
    d->n = n;
    for (uint32_t i = 0; i < n; i++) {
        struct node *x = &d->node[i];
        *x = (struct node){.inst = strata_code_get(s->decoder->code, inst[i]), .sm = &s->decoder->inst[inst[i]]};
        x->latency = result_latency(s, x);
    }
    bool closed = sm_ends_region(d->node[n - 1].inst);
    for (uint32_t i = 0; i < n; i++) {
        d->first[i] = n_edges;
        for (uint32_t k = i + 1; k < n; k++) {
            struct edge *e = &d->edge[n_edges];
            if (!depends(&d->node[i], &d->node[k], closed && k == n - 1, e))
                continue;
            e->to = (uint16_t)k;
            d->node[k].waits++;
            d->node[i].uses += e->value;
            n_edges++;
        }
    }
    d->first[n] = n_edges;
    for (uint32_t i = n; i-- > 0;)
        for (uint32_t k = d->first[i]; k < d->first[i + 1]; k++) {
            uint32_t way = d->edge[k].latency + d->node[d->edge[k].to].way;
            d->node[i].way = way > d->node[i].way ? way : d->node[i].way;
        }
}

/* ---- the order ---- */

/* Of what may issue now the one with the longest way; if none may, what may first. */
static uint32_t choose(const struct sm_draft *d, uint64_t now)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < d->n; i++) {
        const struct node *x = &d->node[i], *b = best < d->n ? &d->node[best] : NULL;
        if (x->done || x->waits)
            continue;
        uint64_t at = x->earliest > now ? x->earliest : now, then = b && b->earliest > now ? b->earliest : now;
        if (!b || at < then || (at == then && x->way > b->way))
            best = i;
    }
    return best;
}

static void list_schedule(struct sm_draft *d, uint16_t *order)
{
    uint64_t now = 0;
    for (uint32_t k = 0; k < d->n; k++) {
        uint32_t i = choose(d, now);
        struct node *x = &d->node[i];
        order[k] = (uint16_t)i;
        x->done = true;
        now = x->earliest > now ? x->earliest : now;
        for (uint32_t e = d->first[i]; e < d->first[i + 1]; e++) {
            struct node *y = &d->node[d->edge[e].to];
            y->waits--;
            if (now + d->edge[e].latency > y->earliest)
                y->earliest = now + d->edge[e].latency;
        }
        now++;
    }
}

/* ---- the table of regions ---- */

static struct sm_region *find(const struct sm_scheduler *s, const uint32_t *inst, uint32_t n)
{
    uint64_t h = n;
    for (uint32_t i = 0; i < n; i++)
        h = mix64(h * 31 + inst[i]);
    for (uint32_t at = (uint32_t)h & s->mask;; at = (at + 1) & s->mask) {
        struct sm_region *r = &s->table[at];
        if (!r->inst || (r->n == n && !memcmp(r->inst, inst, n * sizeof *inst)))
            return r;
    }
}

static bool grow(struct sm_scheduler *s)
{
    struct sm_region *old = s->table;
    uint32_t n = s->mask + 1;
    struct sm_region *larger = calloc((size_t)n * 2, sizeof *larger);
    if (!larger)
        return false;
    s->table = larger;
    s->mask = n * 2 - 1;
    for (uint32_t i = 0; i < n; i++)
        if (old[i].inst)
            *find(s, old[i].inst, old[i].n) = old[i];
    free(old);
    return true;
}

strata_status sm_scheduler_order(struct sm_scheduler *s, const uint32_t *inst, uint32_t n, const uint16_t **order,
                                 struct strata_error *err)
{
    struct sm_region *r = find(s, inst, n);
    if (r->inst) {
        *order = r->order;
        return STRATA_OK;
    }
    if (s->n_regions * 2 > s->mask) {
        if (!grow(s))
            return no_memory(err);
        r = find(s, inst, n);
    }
    uint32_t *copy = malloc(n * sizeof *copy);
    uint16_t *made = malloc(n * sizeof *made);
    if (!copy || !made) {
        free(copy);
        free(made);
        return no_memory(err);
    }
    memcpy(copy, inst, n * sizeof *copy);
    prepare(s, inst, n);
    list_schedule(s->draft, made);
    *r = (struct sm_region){.inst = copy, .order = made, .n = n};
    s->n_regions++;
    *order = made;
    return STRATA_OK;
}
