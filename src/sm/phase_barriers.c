/* phase_barriers.c - when the phases of barriers in shared memory end. */
#include "sm/phase_barriers.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"

void phase_barriers_release(struct phase_barriers *t)
{
    free(t->all);
    free(t->chain);
    memset(t, 0, sizeof *t);
}

static uint32_t *chain_of(const struct phase_barriers *t, uint64_t block, uint32_t shared)
{
    return &t->chain[mix64(block * 0x9e3779b97f4a7c15ull + shared) & (t->n_chains - 1)];
}

static bool grow_chains(struct phase_barriers *t)
{
    if (t->n_chains && t->n < t->n_chains)
        return true;
    uint32_t n = t->n_chains ? t->n_chains * 2 : 1024;
    uint32_t *chain = calloc(n, sizeof *chain);
    if (!chain)
        return false;
    free(t->chain);
    t->chain = chain;
    t->n_chains = n;
    for (uint32_t i = 0; i < t->n; i++) {
        struct phase_barrier *b = &t->all[i];
        if (!b->shared && !b->block && !b->initialised && b->next == UINT32_MAX)
            continue; /* free */
        uint32_t *at = chain_of(t, b->block, b->shared);
        b->next = *at;
        *at = i + 1;
    }
    return true;
}

static uint32_t new_barrier(struct phase_barriers *t)
{
    if (t->free) {
        uint32_t i = t->free - 1;
        t->free = t->all[i].of_block;
        return i;
    }
    size_t cap = t->cap;
    if (!ARRAY_RESERVE(t->all, t->n, cap, 1))
        return UINT32_MAX;
    t->cap = (uint32_t)cap;
    return t->n++;
}

struct phase_barrier *phase_barrier_at(struct phase_barriers *t, uint64_t block, uint32_t shared,
                                       uint32_t *list)
{
    if (!grow_chains(t))
        return NULL;
    uint32_t *chain = chain_of(t, block, shared), i = *chain;
    while (i && (t->all[i - 1].block != block || t->all[i - 1].shared != shared))
        i = t->all[i - 1].next;
    if (!i) {
        uint32_t made = new_barrier(t);
        if (made == UINT32_MAX)
            return NULL;
        t->all[made] = (struct phase_barrier){
            .block = block, .shared = shared, .next = *chain, .of_block = UINT32_MAX};
        *chain = i = made + 1;
    }
    struct phase_barrier *b = &t->all[i - 1];
    if (list && b->of_block == UINT32_MAX) { /* the block has not used it before */
        b->of_block = *list;
        *list = i;
    }
    return b;
}

static void forget(struct phase_barriers *t, uint32_t index)
{
    struct phase_barrier *b = &t->all[index];
    uint32_t *at = chain_of(t, b->block, b->shared);
    while (*at && *at != index + 1)
        at = &t->all[*at - 1].next;
    if (*at)
        *at = b->next;
    *b = (struct phase_barrier){.next = UINT32_MAX, .of_block = t->free};
    t->free = index + 1;
}

void phase_barriers_forget(struct phase_barriers *t, uint32_t *list)
{
    while (*list) {
        uint32_t index = *list - 1;
        *list = t->all[index].of_block;
        forget(t, index);
    }
}

static bool end_phase(struct phase_barrier *b)
{
    if (!b->initialised || b->pending > 0 || b->bytes)
        return false;
    b->phase = !b->phase;
    b->pending += b->expected;
    b->ended = b->reached > b->ended ? b->reached : b->ended;
    b->reached = 0;
    return true;
}

bool phase_barrier_waited(const struct strata_winst *w, uint32_t *shared, bool *parity)
{
    uint64_t words[STRATA_WARP_SIZE];
    if (w->inst->imm != STRATA_BARRIER_WAIT || !w->mask || w->addr_kind == STRATA_ADDR_NONE)
        return false;
    strata_winst_addresses(w, words);
    struct strata_barrier_word word = strata_barrier_unpack(words[lowest_bit32(w->mask)]);
    *shared = word.shared & ((1u << STRATA_RANK_SHIFT) - 1);
    *parity = word.parity;
    return true;
}

bool phase_barrier_apply(struct phase_barrier *b, unsigned op, uint32_t value, uint64_t t)
{
    switch (op) {
    case STRATA_BARRIER_INIT: /* what came before it from other blocks counts */
        b->pending += value;
        b->expected = value;
        b->initialised = true;
        return false;
    case STRATA_BARRIER_ARRIVE:
        b->pending -= value;
        break;
    case STRATA_BARRIER_ARRIVE_DROP:
        b->pending -= value;
        b->expected -= value;
        break;
    case STRATA_BARRIER_EXPECT:
        b->bytes += value;
        return false;
    case STRATA_BARRIER_ARRIVE_EXPECT:
        b->bytes += value;
        b->pending--;
        break;
    case STRATA_BARRIER_COMPLETE:
        b->bytes -= value;
        break;
    case STRATA_BARRIER_ARRIVE_COPIES:
        b->pending--;
        break;
    default:
        return false;
    }
    b->reached = t > b->reached ? t : b->reached;
    return end_phase(b);
}
