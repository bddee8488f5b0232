/* timed_l1.c - one configuration over one stream: lists of lines by last use, one a set. */
#include "learn/timed_l1.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

enum { ABSENT = 0, PRESENT, IN_FLIGHT };

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "to label a stream of accesses");
}

/* ---- lines by number ---- */

strata_status learn_stream_make(struct learn_stream *s, const uint64_t *line, size_t n,
                                struct strata_error *err)
{
    size_t slots = 16;
    memset(s, 0, sizeof *s);
    while (slots < 2 * n)
        slots *= 2;
    uint32_t *table = calloc(slots, sizeof *table); /* id + 1 */
    s->id = malloc((n ? n : 1) * sizeof *s->id);
    s->line = malloc((n ? n : 1) * sizeof *s->line);
    if (!table || !s->id || !s->line) {
        free(table);
        learn_stream_release(s);
        return no_memory(err);
    }
    s->n = n;
    for (size_t i = 0; i < n; i++) {
        size_t h = mix64(line[i] + 1) & (slots - 1);
        while (table[h] && s->line[table[h] - 1] != line[i])
            h = (h + 1) & (slots - 1);
        if (!table[h]) {
            s->line[s->n_lines++] = line[i];
            table[h] = s->n_lines;
        }
        s->id[i] = table[h] - 1;
    }
    free(table);
    return STRATA_OK;
}

void learn_stream_release(struct learn_stream *s)
{
    free(s->id);
    free(s->line);
    memset(s, 0, sizeof *s);
}

/* ---- the cache ---- */

struct entry {             /* of a line */
    uint32_t newer, older; /* id + 1 in the set's list; 0: none */
    uint32_t set;
    uint32_t state;
};
struct list { /* of a set */
    uint32_t newest, oldest, n;
};
struct flight {
    uint64_t arrival;
    uint32_t id;
};

struct timed {
    struct entry *entry;
    struct list *set;
    struct flight *flight; /* a ring, by arrival: all take equally long */
    uint64_t head, tail, mask;
    uint32_t ways;
    uint64_t now;
};

static void unlink_line(struct timed *t, uint32_t id)
{
    struct entry *e = &t->entry[id];
    struct list *l = &t->set[e->set];
    if (e->newer)
        t->entry[e->newer - 1].older = e->older;
    else
        l->newest = e->older;
    if (e->older)
        t->entry[e->older - 1].newer = e->newer;
    else
        l->oldest = e->newer;
}

static void push_line(struct timed *t, uint32_t id)
{
    struct entry *e = &t->entry[id];
    struct list *l = &t->set[e->set];
    e->newer = 0;
    e->older = l->newest;
    if (l->newest)
        t->entry[l->newest - 1].newer = id + 1;
    else
        l->oldest = id + 1;
    l->newest = id + 1;
}

static void fill(struct timed *t, uint32_t id)
{
    struct list *l = &t->set[t->entry[id].set];
    if (l->n == t->ways) {
        uint32_t victim = l->oldest - 1;
        unlink_line(t, victim);
        t->entry[victim].state = ABSENT;
    } else {
        l->n++;
    }
    t->entry[id].state = PRESENT;
    push_line(t, id);
}

static void fill_due(struct timed *t)
{
    while (t->head != t->tail && t->flight[t->head & t->mask].arrival <= t->now)
        fill(t, t->flight[t->head++ & t->mask].id);
}

static void miss(struct timed *t, const struct strata_learn_timing *timing, uint32_t id)
{
    if (timing->mshrs && t->tail - t->head == timing->mshrs) { /* the L1 waits for the first one */
        t->now = t->flight[t->head & t->mask].arrival;
        fill_due(t);
    }
    t->flight[t->tail++ & t->mask] =
        (struct flight){.arrival = t->now + timing->latency_cycles, .id = id};
    t->entry[id].state = IN_FLIGHT;
}

static strata_status prepare(struct timed *t, const struct learn_stream *s,
                             const struct strata_learn_cache *cache,
                             const struct strata_learn_timing *timing, struct strata_error *err)
{
    uint64_t sets = cache->lines / cache->ways, most = timing->latency_cycles + 1;
    memset(t, 0, sizeof *t);
    t->ways = cache->ways;
    most = timing->mshrs && timing->mshrs < most ? timing->mshrs : most;
    for (t->mask = 1; t->mask < most + 1; t->mask *= 2)
        ;
    t->entry = malloc((s->n_lines ? s->n_lines : 1) * sizeof *t->entry);
    t->set = calloc(sets, sizeof *t->set);
    t->flight = malloc(t->mask * sizeof *t->flight);
    t->mask--;
    if (!t->entry || !t->set || !t->flight)
        return no_memory(err);
    for (uint32_t i = 0; i < s->n_lines; i++)
        t->entry[i] = (struct entry){.set = (uint32_t)(((mix64(s->line[i]) >> 32) * sets) >> 32)};
    return STRATA_OK;
}

strata_status learn_label_misses(const struct learn_stream *s,
                                 const struct strata_learn_cache *cache,
                                 const struct strata_learn_timing *timing, size_t interval,
                                 struct strata_learn_counts *out, uint8_t *missed,
                                 struct strata_error *err)
{
    struct timed t;
    strata_status st = strata_learn_cache_check(cache, err);
    if (st != STRATA_OK)
        return st;
    st = prepare(&t, s, cache, timing, err);
    memset(out, 0, (s->n + interval - 1) / interval * sizeof *out);
    for (size_t i = 0; i < s->n && st == STRATA_OK; i++, t.now++) {
        struct strata_learn_counts *c = &out[i / interval];
        uint32_t id = s->id[i], state;
        if (s->time && s->time[i] > t.now)
            t.now = s->time[i];
        fill_due(&t);
        state = t.entry[id].state;
        c->accesses++;
        if (missed)
            missed[i] = state == ABSENT;
        if (state == PRESENT) {
            unlink_line(&t, id);
            push_line(&t, id);
        } else if (state == IN_FLIGHT) {
            c->merges++;
        } else {
            c->misses++;
            miss(&t, timing, id);
        }
    }
    free(t.entry);
    free(t.set);
    free(t.flight);
    return st;
}

strata_status learn_label(const struct learn_stream *s, const struct strata_learn_cache *cache,
                          const struct strata_learn_timing *timing, size_t interval,
                          struct strata_learn_counts *out, struct strata_error *err)
{
    return learn_label_misses(s, cache, timing, interval, out, NULL, err);
}
