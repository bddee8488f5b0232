/* label.c - sets of successive lines without any rule: every line is tried against every set found
 * so far; what fits none is kept until it overflows a new one. For mappings that no bits define
 * (paper 002, section 4.3: the read-only caches) and for unequal sets filled by turns
 * (section 4.4). */
#include <stdlib.h>
#include <string.h>

#include "dissect/inference.h"

enum { MAX_LABEL_SETS = 64 };
#define NO_LABEL UINT32_MAX

struct labels {
    struct oracle *o;
    uint64_t line_bytes;
    struct full_set *set;
    uint32_t n_sets;
    uint32_t *label;
    size_t n, cap;
    uint64_t *pool; /* lines without a set */
    size_t n_pool;
};

static void try_set(struct labels *l, uint64_t line, uint32_t s)
{
    if (l->label[line] == NO_LABEL && belongs(l->o, &l->set[s], line * l->line_bytes))
        l->label[line] = s;
}

/* Neighbours tend to share a set or to go round: the set of the line before, then the others in
 * turn. */
static void label_one(struct labels *l, uint64_t line)
{
    uint32_t from = line && l->label[line - 1] != NO_LABEL ? l->label[line - 1] : 0;
    l->label[line] = NO_LABEL;
    for (uint32_t i = 0; i < l->n_sets; i++)
        try_set(l, line, (from + i) % l->n_sets);
}

static void gather_pool(struct labels *l)
{
    l->n_pool = 0;
    for (size_t i = 0; i < l->n; i++)
        if (l->label[i] == NO_LABEL)
            l->pool[l->n_pool++] = i * l->line_bytes;
}

/* One more set if the lines without one are too many for it. */
static bool new_set(struct labels *l)
{
    gather_pool(l);
    if (l->n_sets == MAX_LABEL_SETS || !oracle_overflows(l->o, l->pool, l->n_pool) ||
        !find_members(l->o, l->pool, l->n_pool, &l->set[l->n_sets]))
        return false;
    l->n_sets++;
    for (size_t i = 0; i < l->n; i++)
        try_set(l, i, l->n_sets - 1);
    gather_pool(l);
    return true;
}

static bool label_all(struct labels *l)
{
    size_t since = 0; /* lines in a row that fell into known sets */
    while (l->n < l->cap && !l->o->exhausted && l->o->status == STRATA_OK) {
        label_one(l, l->n++);
        since = l->label[l->n - 1] == NO_LABEL ? 0 : since + 1;
        if (l->n % 16 == 0)
            while (new_set(l))
                since = 0;
        if (!l->n_pool && since > 64 + 8 * (size_t)l->n_sets)
            return true;
    }
    return false;
}

/* Far lines must fall into the known sets too, or there are more. */
static bool far_lines_known(struct labels *l, uint32_t *checks)
{
    uint64_t lines = l->o->prober->reach_bytes / l->line_bytes;
    for (uint32_t i = 0; i < 24; i++) {
        uint64_t at = oracle_random(l->o, lines);
        bool known = false;
        for (uint32_t s = 0; s < l->n_sets && !known; s++)
            known = belongs(l->o, &l->set[s], at * l->line_bytes);
        if (!known)
            return false;
        ++*checks;
    }
    return true;
}

bool label_lines(struct oracle *o, const struct full_set *set, uint64_t line_bytes,
                 uint32_t max_lines, struct mapping *out)
{
    struct labels l = {.o = o, .line_bytes = line_bytes, .n_sets = 1, .cap = 2 * (size_t)max_lines};
    if (l.cap > o->prober->reach_bytes / line_bytes)
        l.cap = (size_t)(o->prober->reach_bytes / line_bytes);
    l.set = calloc(MAX_LABEL_SETS, sizeof *l.set);
    l.label = calloc(l.cap + 1, sizeof *l.label);
    l.pool = calloc(l.cap + 1, sizeof *l.pool);
    bool done = false;
    if (l.set && l.label && l.pool) {
        l.set[0] = *set;
        done = label_all(&l) && far_lines_known(&l, &out->checks);
    } else {
        o->status = strata_no_memory(o->err, NULL, "for the sets of lines");
    }
    if (done) {
        out->kind = STRATA_ADDRESSING_HASHED;
        out->label = l.label;
        out->n_labels = l.n;
        out->n_sets = l.n_sets;
        l.label = NULL;
    }
    free(l.set);
    free(l.label);
    free(l.pool);
    return done;
}
