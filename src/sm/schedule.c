/* schedule.c - dependences of a region, and list scheduling. */
#include "sm/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "sm/pipe_choice.h"
#include "sm/region_draft.h"
#include "sm/scoreboard.h"
#include "sm/stall_counts.h"
#include "trace/inst_latency.h"

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "for the order of a launch's instructions");
}

strata_status sm_scheduler_init(struct sm_scheduler *s, const struct sm_decoder *decoder,
                                uint32_t registers, uint32_t unroll, struct strata_error *err)
{
    memset(s, 0, sizeof *s);
    s->decoder = decoder;
    s->registers = registers;
    s->unroll = unroll;
    s->mask = 255;
    s->table = calloc(s->mask + 1, sizeof *s->table);
    s->draft = calloc(1, sizeof *s->draft);
    if (s->table && s->draft)
        return STRATA_OK;
    sm_scheduler_release(s);
    return no_memory(err);
}

static void free_region(struct sm_region *r)
{
    if (!r)
        return;
    free(r->inst);
    free(r->order);
    free(r->op);
    free(r);
}

void sm_scheduler_release(struct sm_scheduler *s)
{
    for (uint32_t i = 0; s->table && i <= s->mask; i++)
        free_region(s->table[i]);
    free(s->table);
    free(s->loop);
    free(s->recent);
    free(s->draft);
    memset(s, 0, sizeof *s);
}

uint32_t sm_scheduler_registers(struct sm_scheduler *s)
{
    uint32_t own = s->decoder->max_register + 1;
    if (!s->first_fresh) {
        s->first_fresh = own;
        s->n_fresh = own + SM_FRESH <= SM_REGISTERS ? SM_FRESH : 0;
    }
    return own > s->first_fresh + s->n_fresh ? own : s->first_fresh + s->n_fresh;
}

bool sm_ends_region(const struct strata_inst *i)
{
    /* Barriers of a warp are among those that only order. */
    return inst_only_orders(i) || i->opclass == STRATA_OP_BRANCH ||
           i->opclass == STRATA_OP_MEMBAR || i->opclass == STRATA_OP_MBARRIER;
}

/* ---- loops ---- */

/* The last instruction of the body that writes a register, or NULL. */
static const struct strata_inst *writer(const struct sm_scheduler *s, const uint32_t *inst,
                                        uint32_t n, uint16_t reg)
{
    for (uint32_t i = n; i-- > 0;) {
        const struct strata_inst *x = strata_code_get(s->decoder->code, inst[i]);
        if (sm_lists(x->reg, x->n_dst, reg))
            return x;
    }
    return NULL;
}

static bool stepped_by_constant(const struct sm_scheduler *s, const uint32_t *inst, uint32_t n,
                                uint16_t reg)
{
    const struct strata_inst *x = writer(s, inst, n, reg);
    return x && x->opclass == STRATA_OP_INT && x->n_src == 1 && x->reg[x->n_dst] == reg;
}

static bool is_counted(const struct sm_scheduler *s, const uint32_t *inst, uint32_t n)
{
    const struct strata_inst *branch = strata_code_get(s->decoder->code, inst[n - 1]);
    if (branch->opclass != STRATA_OP_BRANCH || branch->n_src != 1)
        return false;
    const struct strata_inst *compare = writer(s, inst, n, branch->reg[branch->n_dst]);
    for (unsigned k = 0; compare && k < compare->n_src; k++)
        if (stepped_by_constant(s, inst, n, compare->reg[compare->n_dst + k]))
            return true;
    return false;
}

/* What the trace tells of the loop, or what can be told from its instructions. */
static uint8_t find_rounds(const struct sm_scheduler *s, const uint32_t *inst, uint32_t n)
{
    int32_t told = strata_code_get(s->decoder->code, inst[n - 1])->imm % STRATA_BRANCH_ALIVE;
    uint32_t most = s->unroll < STRATA_ALL_ROUNDS ? s->unroll : STRATA_ALL_ROUNDS;
    if (most < 2)
        return 1;
    if (told > 0)
        return (uint8_t)(told < STRATA_ALL_ROUNDS ? told : STRATA_ALL_ROUNDS);
    return is_counted(s, inst, n) ? (uint8_t)most : 1;
}

uint32_t sm_scheduler_rounds(struct sm_scheduler *s, const uint32_t *inst, uint32_t n)
{
    uint32_t branch = inst[n - 1];
    if (branch >= s->cap_loop) {
        uint32_t cap = s->decoder->n > branch ? s->decoder->n : branch + 1;
        uint8_t *grown = realloc(s->loop, cap);
        if (!grown)
            return find_rounds(s, inst, n);
        memset(grown + s->cap_loop, 0, cap - s->cap_loop);
        s->loop = grown;
        s->cap_loop = cap;
    }
    if (!s->loop[branch])
        s->loop[branch] = find_rounds(s, inst, n);
    return s->loop[branch];
}

/* ---- dependences ---- */

static bool reads_any(const struct sm_inst *a, const struct sm_inst *of)
{
    for (unsigned k = 0; k < of->n_write; k++)
        if (sm_lists(a->read, a->n_read, of->write[k]))
            return true;
    return false;
}

static bool writes_any(const struct sm_inst *a, const struct sm_inst *of)
{
    for (unsigned k = 0; k < of->n_write; k++)
        if (sm_lists(a->write, a->n_write, of->write[k]))
            return true;
    return false;
}

static bool writes_memory(const struct strata_inst *i)
{
    return i->memop == STRATA_MEM_STORE || i->memop == STRATA_MEM_ATOMIC ||
           i->memop == STRATA_MEM_REDUCTION || i->memop == STRATA_MEM_ASYNC_COPY;
}

static bool touches(const struct strata_inst *i, uint32_t space)
{
    return i->space == space || (space == STRATA_SPACE_SHARED && i->memop == STRATA_MEM_ASYNC_COPY);
}

/* Values that differ by a constant have one root: the register that brings it into the region, or
 * the position of what computed it, beyond the numbers of registers. */
static void find_roots(struct sm_draft *d)
{
    for (uint32_t i = 0; i < d->n; i++)
        for (unsigned k = 0; k < d->node[i].op->n_read; k++)
            d->root[d->node[i].op->read[k]] = d->node[i].op->read[k];
    for (uint32_t i = 0; i < d->n; i++) {
        struct sm_node *x = &d->node[i];
        x->root = x->op->n_read ? d->root[x->op->read[0]] : SM_REGISTERS + i;
        bool steps = x->inst->opclass == STRATA_OP_INT && x->op->n_read == 1 &&
                     !strncmp(x->inst->opcode, "add.", 4);
        for (unsigned k = 0; k < x->op->n_write; k++)
            d->root[x->op->write[k]] = steps ? x->root : SM_REGISTERS + i;
    }
}

static uint64_t address_of(const struct sm_draft *d, uint32_t i, unsigned lane)
{
    const struct sm_entry *e = &d->accesses.entry[i];
    if (e->addresses >= SM_LIST)
        return d->accesses.list[e->addresses - SM_LIST][lane];
    return e->base + (uint64_t)((int64_t)e->stride * ((int64_t)lane - lowest_bit32(e->mask)));
}

static bool loads_or_stores(const struct strata_inst *i)
{
    return i->memop == STRATA_MEM_LOAD || i->memop == STRATA_MEM_STORE;
}

/* Two accesses of one root that have no byte in common never have: ptxas moves a load over a store
 * to the same base with another constant (lu_diagonal and partial_write of the example suite). A
 * guard that PTX names would be taken for the address; nvcc writes none before accesses. */
static bool apart(const struct sm_draft *d, uint32_t i, uint32_t k)
{
    const struct sm_node *a = &d->node[i], *b = &d->node[k];
    if (!d->accesses.entry || a->root != b->root || a->inst->space != b->inst->space ||
        !loads_or_stores(a->inst) || !loads_or_stores(b->inst))
        return false;
    const struct sm_entry *x = &d->accesses.entry[i], *y = &d->accesses.entry[k];
    uint32_t both = x->mask & y->mask;
    if (!both || !x->addresses || !y->addresses)
        return false;
    uint64_t of_a = address_of(d, i, (unsigned)lowest_bit32(both)),
             of_b = address_of(d, k, (unsigned)lowest_bit32(both));
    return of_a + a->inst->width_bytes <= of_b || of_b + b->inst->width_bytes <= of_a;
}

/* A load of wmma is not made before the product in front of it (ptxas 13.0: loops over four steps
 * of halves and of bytes in every layout, from global and shared memory). */
static bool wmma_in_order(const struct strata_inst *a, const struct strata_inst *b)
{
    return (a->opclass == STRATA_OP_TENSOR) != (b->opclass == STRATA_OP_TENSOR) &&
           !strncmp(a->opcode, "wmma.", 5) && !strncmp(b->opcode, "wmma.", 5);
}

/* Whether two accesses have to stay in order: one of them writes what the other may touch, or
 * somebody else may be watching. Data behind the read-only path is written by nobody. */
static bool in_order(const struct strata_inst *a, const struct strata_inst *b)
{
    if (a->opclass == STRATA_OP_WGMMA && b->opclass == STRATA_OP_WGMMA)
        return true;
    if (wmma_in_order(a, b))
        return true;
    if (a->opclass != STRATA_OP_MEM || b->opclass != STRATA_OP_MEM)
        return false;
    if ((a->hints | b->hints) & STRATA_HINT_VOLATILE)
        return true;
    if ((a->hints | b->hints) & STRATA_HINT_READ_ONLY || (!writes_memory(a) && !writes_memory(b)))
        return false;
    return touches(b, a->space) || touches(a, b->space);
}

/* What ptxas 13.0 takes a load or an atomic of global or local memory for: it stands 75 steps of a
 * chain of FFMAs before what reads it (scripts/ptx-order). */
enum { FAR_CYCLES = 300 };

static uint32_t result_latency(const struct sm_scheduler *s, const struct sm_node *n)
{
    if (n->op->kind == SM_KIND_GLOBAL)
        return FAR_CYCLES;
    return n->op->kind == SM_KIND_SHARED ? s->decoder->gpu->shared.latency_cycles : n->op->latency;
}

/* The edge between two instructions of a region, if the second has to follow the first. */
static bool depends(const struct sm_draft *d, uint32_t i, uint32_t k, bool last, struct sm_edge *e)
{
    const struct sm_node *a = &d->node[i], *b = &d->node[k];
    if (reads_any(b->op, a->op)) {
        uint32_t apart = sm_result_distance(a->inst, a->op, b->inst, b->op);
        *e = (struct sm_edge){.latency = apart > a->latency ? apart : a->latency, .value = true};
        return true;
    }
    *e = (struct sm_edge){.latency = 1};
    return last || writes_any(b->op, a->op) || reads_any(a->op, b->op) ||
           (in_order(a->inst, b->inst) && !apart(d, i, k));
}

/* A load from memory, of a time that nobody knows. */
static bool is_far(const struct sm_node *x)
{
    return x->op->kind == SM_KIND_GLOBAL && x->op->n_write;
}

static bool is_near(const struct sm_node *x)
{
    return x->op->kind == SM_KIND_SHARED && x->op->n_write;
}

static void find_edges(struct sm_draft *d)
{
    uint32_t n = d->n, n_edges = 0;
    bool closed = sm_ends_region(d->node[n - 1].inst);
    for (uint32_t i = 0; i < n; i++) {
        d->first[i] = n_edges;
        for (uint32_t k = i + 1; k < n && !d->node[i].gone; k++) {
            struct sm_edge *e = &d->edge[n_edges];
            if (d->node[k].gone || !depends(d, i, k, closed && k == n - 1, e))
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
            struct sm_node *to = &d->node[d->edge[k].to];
            uint32_t way = d->edge[k].latency + to->way;
            d->node[i].way = way > d->node[i].way ? way : d->node[i].way;
            d->node[i].leads |= to->leads || is_far(to);
            to->last |= d->edge[k].value && is_far(&d->node[i]) && !to->leads;
        }
}

/* The same edges from the other end, those along which a result is read. */
static void find_sources(struct sm_draft *d)
{
    uint32_t *first = d->first_source;
    memset(first, 0, sizeof d->first_source);
    for (uint32_t e = 0; e < d->first[d->n]; e++)
        first[d->edge[e].to + 1] += d->edge[e].value;
    for (uint32_t i = 0; i < d->n; i++)
        first[i + 1] += first[i];
    uint32_t filled[SM_MAX_REGION] = {0};
    for (uint32_t i = 0; i < d->n; i++)
        for (uint32_t e = d->first[i]; e < d->first[i + 1]; e++)
            if (d->edge[e].value)
                d->source[first[d->edge[e].to] + filled[d->edge[e].to]++] = (uint16_t)i;
}

/* A sum of 64 bits that is no constant beside another: of its two registers what is loaded from
 * there takes one. */
static bool is_address_sum(const struct sm_node *x)
{
    return x->op->n_read > 1 && strstr(x->inst->opcode, "64");
}

/* Registers that a result takes. Other integers are left out: what they compute is addresses for
 * the most part, which machine code has as one base and constants beside it. */
static uint32_t result_words(const struct sm_node *x)
{
    if (!x->op->n_write || x->predicate)
        return 0;
    if (x->inst->opclass == STRATA_OP_INT)
        return is_address_sum(x) ? 1 : 0;
    if (x->inst->opclass == STRATA_OP_MEM)
        return x->inst->width_bytes > 4 ? x->inst->width_bytes / 4u : 1;
    return x->inst->opclass == STRATA_OP_FP64 ? 2 : 1;
}

static void prepare(struct sm_scheduler *s, const struct sm_region *r)
{
    struct sm_draft *d = s->draft;
    d->n = r->n;
    for (uint32_t i = 0; i < r->n; i++) {
        struct sm_node *x = &d->node[i];
        *x = (struct sm_node){.inst = strata_code_get(s->decoder->code, r->inst[i]),
                              .op = &r->op[i]};
        r->op[i] = s->decoder->inst[r->inst[i]];
        x->latency = result_latency(s, x);
        x->predicate = sm_makes_predicate(x->inst);
        x->words = result_words(x);
    }
    sm_draft_name_registers(s, d);
    find_roots(d);
    find_edges(d);
    find_sources(d);
    sm_draft_find_room(s, d);
}

/* ---- the order ---- */

/* What results that are still to be read take. */
struct held {
    uint32_t words, predicates;
    uint32_t loaded; /* of the words, those that were loaded from memory */
};

static uint32_t loaded_words(const struct sm_node *x)
{
    return is_far(x) ? x->words : 0;
}

/* What nobody needs any more once an instruction has issued. */
static struct held freed_by(const struct sm_draft *d, uint32_t i)
{
    struct held freed = {d->node[i].takes_over, 0, 0};
    for (uint32_t k = d->first_source[i]; k < d->first_source[i + 1]; k++) {
        const struct sm_node *x = &d->node[d->source[k]];
        freed.words += x->uses == 1 ? x->words : 0;
        freed.loaded += x->uses == 1 ? loaded_words(x) : 0;
        freed.predicates += x->uses == 1 && x->predicate;
    }
    return freed;
}

/* Registers that may be taken when a result gets its own. What shared memory gives comes after a
 * short time and is asked for late, so that it has no more than what is alive leaves. */
static uint32_t room_beside(const struct sm_draft *d, const struct sm_node *x)
{
    return is_near(x) && d->near_room < d->room ? d->near_room : d->room;
}

/* Whether an instruction's result has to wait for a register or a predicate: machine code has seven
 * of the latter. */
static bool lacks_room(const struct sm_draft *d, uint32_t i, struct held held)
{
    enum { PREDICATES = 7 };
    const struct sm_node *x = &d->node[i];
    if (!x->words && !x->predicate)
        return false;
    struct held freed = freed_by(d, i);
    return (x->words > freed.words && held.words &&
            held.words + x->words - freed.words > room_beside(d, x)) ||
           (is_far(x) && held.loaded > freed.loaded &&
            held.loaded - freed.loaded + x->words > d->far_room) ||
           (x->predicate && !freed.predicates && held.predicates >= PREDICATES);
}

/* Of what may issue now the one with the longest way; if none may, what may first. A load from
 * memory or shared memory is not made before the time that leaves its result just ready when the
 * region, which ends at `end` at best, needs it: ptxas leaves slots empty rather
 * (scripts/ptx-order). What only waits for memory fills no gap between loads, it comes behind them;
 * what finds no register free for its result comes last of all, loads behind what uses others up.
 */
static uint32_t choose(const struct sm_draft *d, uint64_t now, uint64_t end, struct held held)
{
    uint32_t best = UINT32_MAX;
    uint64_t best_at = UINT64_MAX;
    for (uint32_t i = 0; i < d->n; i++) {
        const struct sm_node *x = &d->node[i];
        if (x->done || x->gone || x->waits)
            continue;
        bool loads = is_far(x) || is_near(x);
        uint64_t at = x->earliest > now ? x->earliest : now;
        if (loads && at + x->way < end)
            at = end - x->way;
        if (x->last)
            at += (uint64_t)1 << 16;
        if (lacks_room(d, i, held))
            at += (uint64_t)1 << (loads ? 40 : 32);
        if (at < best_at || (at == best_at && x->way > d->node[best].way)) {
            best = i;
            best_at = at;
        }
    }
    return best;
}

static void release_sources(struct sm_draft *d, uint32_t i, struct held *held)
{
    held->words -= d->node[i].takes_over;
    for (uint32_t k = d->first_source[i]; k < d->first_source[i + 1]; k++) {
        struct sm_node *x = &d->node[d->source[k]];
        if (--x->uses)
            continue;
        held->words -= x->words;
        held->loaded -= loaded_words(x);
        held->predicates -= x->predicate;
    }
}

static void list_schedule(struct sm_draft *d, struct sm_region *r)
{
    uint64_t now = 0, end = 0;
    struct held held = {d->taken_over, 0, 0};
    uint32_t k = 0;
    for (uint32_t i = 0; i < d->n; i++) {
        if (d->node[i].gone)
            r->order[k++] = (uint16_t)i;
        end = d->node[i].way > end ? d->node[i].way : end;
    }
    r->n_gone = k;
    for (; k < d->n; k++) {
        uint32_t i = choose(d, now, end, held);
        struct sm_node *x = &d->node[i];
        r->order[k] = (uint16_t)i;
        x->done = true;
        now = x->earliest > now ? x->earliest : now;
        end = now + x->way > end ? now + x->way : end;
        release_sources(d, i, &held);
        held.words += x->uses ? x->words : 0;
        held.loaded += x->uses ? loaded_words(x) : 0;
        held.predicates += x->uses && x->predicate;
        for (uint32_t e = d->first[i]; e < d->first[i + 1]; e++) {
            struct sm_node *y = &d->node[d->edge[e].to];
            y->waits--;
            if (now + d->edge[e].latency > y->earliest)
                y->earliest = now + d->edge[e].latency;
        }
        now++;
    }
}

/* Pipes and stall counts of the order that was found. */
static void finish(const struct sm_scheduler *s, const struct sm_draft *d,
                   const struct sm_region *r)
{
    struct sm_placed placed[SM_MAX_REGION];
    uint32_t n = 0;
    for (uint32_t k = r->n_gone; k < d->n; k++) {
        const struct sm_node *x = &d->node[r->order[k]];
        placed[n++] = (struct sm_placed){x->inst, x->op};
    }
    sm_pipes_choose(s->decoder->gpu, placed, n);
    sm_stall_counts_find(placed, n);
}

/* ---- barriers ---- */

/* Machine code has six barriers for results that take an unknown time, and whoever waits for one
 * waits for all loads that have taken it. Those of the loads under way at a place of the order: */
struct barrier {
    uint16_t load[SM_MAX_REGION]; /* positions */
    uint32_t n, reader;           /* place of the first to read one of them */
};

static bool has_barrier(const struct sm_node *x)
{
    return x->inst->opclass == STRATA_OP_MEM && x->op->n_write;
}

/* The place in the order of the first that reads what the one at place k loads. */
static uint32_t first_reader(const struct sm_draft *d, const struct sm_region *r, uint32_t k)
{
    const struct sm_inst *load = d->node[r->order[k]].op;
    while (++k < d->n)
        if (reads_any(d->node[r->order[k]].op, load))
            return k;
    return UINT32_MAX;
}

/* The barrier that a load takes: that of loads which the same instruction waits for, a free one, or
 * the one taken last. Global and local memory have 2 to 5 (1,490 of 1,510 such loads in the machine
 * code of the example suite, nvcc 13.0), shared memory all. */
static uint32_t take_barrier(const struct barrier *b, const struct sm_node *x, uint32_t reader,
                             uint32_t last)
{
    uint32_t first = x->inst->space == STRATA_SPACE_SHARED ? 0 : 2;
    for (uint32_t k = first; k < SM_N_BARRIERS; k++)
        if (b[k].n && b[k].reader == reader)
            return k;
    for (uint32_t k = first; k < SM_N_BARRIERS; k++)
        if (!b[k].n)
            return k;
    return last >= first ? last : SM_N_BARRIERS - 1;
}

/* An instruction that reads one of a barrier's loads reads them all. */
static void wait_for_barrier(const struct sm_draft *d, struct sm_inst *op, struct barrier *b)
{
    bool waits = false;
    for (uint32_t j = 0; j < b->n && !waits; j++)
        waits = reads_any(op, d->node[b->load[j]].op);
    for (uint32_t j = 0; j < b->n && waits; j++) {
        uint16_t reg = d->node[b->load[j]].op->write[0];
        if (op->n_read < SM_MAX_READS && !sm_lists(op->read, op->n_read, reg))
            op->read[op->n_read++] = reg;
    }
    b->n = waits ? 0 : b->n;
}

static void share_barriers(const struct sm_draft *d, const struct sm_region *r)
{
    struct barrier barrier[SM_N_BARRIERS];
    uint32_t last = 0;
    for (uint32_t k = 0; k < SM_N_BARRIERS; k++)
        barrier[k].n = 0;
    for (uint32_t k = r->n_gone; k < d->n; k++) {
        const struct sm_node *x = &d->node[r->order[k]];
        for (uint32_t b = 0; b < SM_N_BARRIERS; b++)
            wait_for_barrier(d, x->op, &barrier[b]);
        if (!has_barrier(x))
            continue;
        uint32_t reader = first_reader(d, r, k);
        last = take_barrier(barrier, x, reader, last);
        struct barrier *b = &barrier[last];
        b->reader = b->n ? b->reader : reader;
        b->load[b->n++] = r->order[k];
    }
}

/* ---- the table of regions ---- */

static struct sm_region **find(const struct sm_scheduler *s, const uint32_t *inst, uint32_t n)
{
    uint64_t h = n;
    for (uint32_t i = 0; i < n; i++)
        h = (h + inst[i]) * 0x9e3779b97f4a7c15ull;
    for (uint32_t at = (uint32_t)(h >> 32) & s->mask;; at = (at + 1) & s->mask) {
        struct sm_region *r = s->table[at];
        if (!r || (r->n == n && !memcmp(r->inst, inst, n * sizeof *inst)))
            return &s->table[at];
    }
}

static bool grow(struct sm_scheduler *s)
{
    struct sm_region **old = s->table, **larger = calloc(((size_t)s->mask + 1) * 2, sizeof *larger);
    uint32_t n = s->mask + 1;
    if (!larger)
        return false;
    s->table = larger;
    s->mask = n * 2 - 1;
    for (uint32_t i = 0; i < n; i++)
        if (old[i])
            *find(s, old[i]->inst, old[i]->n) = old[i];
    free(old);
    return true;
}

static struct sm_region *make(struct sm_scheduler *s, const uint32_t *inst, uint32_t n,
                              struct sm_accesses accesses)
{
    struct sm_region *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->n = n;
    r->inst = malloc(n * sizeof *r->inst);
    r->order = malloc(n * sizeof *r->order);
    r->op = malloc(n * sizeof *r->op);
    if (!r->inst || !r->order || !r->op) {
        free_region(r);
        return NULL;
    }
    memcpy(r->inst, inst, n * sizeof *r->inst);
    s->draft->accesses = accesses;
    prepare(s, r);
    list_schedule(s->draft, r);
    finish(s, s->draft, r);
    share_barriers(s->draft, r);
    return r;
}

/* Most regions are the one that began with the same instruction the last time. */
static bool remember(struct sm_scheduler *s, uint32_t first)
{
    if (first < s->cap_recent)
        return true;
    uint32_t cap = s->decoder->n > first ? s->decoder->n : first + 1;
    const struct sm_region **grown = realloc(s->recent, cap * sizeof *grown);
    if (!grown)
        return false;
    memset(grown + s->cap_recent, 0, (cap - s->cap_recent) * sizeof *grown);
    s->recent = grown;
    s->cap_recent = cap;
    return true;
}

strata_status sm_scheduler_region(struct sm_scheduler *s, const uint32_t *inst, uint32_t n,
                                  struct sm_accesses accesses, const struct sm_region **out,
                                  struct strata_error *err)
{
    if (!remember(s, inst[0]))
        return no_memory(err);
    const struct sm_region *last = s->recent[inst[0]];
    if (last && last->n == n && !memcmp(last->inst, inst, n * sizeof *inst)) {
        *out = last;
        return STRATA_OK;
    }
    struct sm_region *r = *find(s, inst, n);
    if (!r) {
        sm_scheduler_registers(s);
        if ((s->n_regions * 2 > s->mask && !grow(s)) || !(r = make(s, inst, n, accesses)))
            return no_memory(err);
        *find(s, inst, n) = r;
        s->n_regions++;
    }
    s->recent[inst[0]] = *out = r;
    return STRATA_OK;
}
