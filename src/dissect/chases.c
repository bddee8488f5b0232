/* chases.c - a cache from plain pointer chases that were recorded (paper 002, section 4.2): no
 * further visits can be asked for, so that some things stay undetermined that
 * src/dissect/cache_answer.c finds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/dissect.h>

#include "dissect/clusters.h"

enum { MAX_CHASES = 512, MAX_FLAGGED = 4096 };

/* One chase, boiled down: which places miss once the array was visited. */
struct summary {
    const struct strata_series *s;
    uint64_t array, stride, round; /* visits in a round */
    uint32_t rounds, warmup, element;
    uint32_t n_flagged; /* places that miss again and again */
    double steady;      /* share of their visits that miss */
    double elsewhere;   /* share of all misses that fall on other places */
    double rate;        /* misses of all visits after the first round */
};

struct chases {
    struct summary item[MAX_CHASES];
    size_t n;
    double noise;     /* share of visits that look like misses in the calmest chase */
    double threshold; /* above: a miss of the wanted level */
    double front;     /* up to here a level in front answered; 0 if there is none */
    double hit, miss; /* latencies of the two classes */
};

static bool is_miss(const struct chases *c, double latency)
{
    return latency > c->threshold && latency < 4 * c->miss;
}

/* Misses of every place of the array over the rounds after the array was visited once; freed by the
 * caller. */
static uint32_t *count_places(const struct chases *c, const struct summary *m)
{
    int index = strata_series_column(m->s, "index"),
        latency = strata_series_column(m->s, "latency");
    uint32_t *count = calloc(m->round + 1, sizeof *count);
    size_t from = m->warmup ? 0 : m->round;
    for (size_t r = from; count && r < m->s->n_rows; r++) {
        uint64_t place = (uint64_t)strata_series_at(m->s, r, index) * m->element / m->stride;
        if (place < m->round && is_miss(c, strata_series_at(m->s, r, latency)))
            count[place]++;
    }
    return count;
}

/* More often than outliers explain, less often than the laziest random policy. */
static bool is_flagged(const struct chases *c, const struct summary *m, uint32_t count)
{
    double noise = c->noise * m->rounds;
    return count >= 3 && count * 25 >= m->rounds &&
           count > noise + 4.5 * sqrt(noise) + (noise > 0.02 ? 1.5 : 0);
}

/* How often the places that miss at all do so. A visit that a level in front answered says nothing,
 * and what it left undone shows in the round after: only rounds behind two without such visits
 * count. */
static double steadiness(const struct chases *c, const struct summary *m, const uint32_t *count)
{
    int index = strata_series_column(m->s, "index"),
        latency = strata_series_column(m->s, "latency");
    uint64_t visits = 0, misses = 0, seen = 0, missed = 0;
    uint32_t calm = 2; /* undisturbed rounds so far */
    bool disturbed = false;
    for (size_t r = m->warmup ? 0 : m->round; r < m->s->n_rows; r++) {
        uint64_t place = (uint64_t)strata_series_at(m->s, r, index) * m->element / m->stride;
        double cycles = strata_series_at(m->s, r, latency);
        if (place < m->round && is_flagged(c, m, count[place])) {
            disturbed = disturbed || cycles <= c->front;
            seen++;
            missed += is_miss(c, cycles);
        }
        if ((r + 1) % m->round)
            continue;
        calm = disturbed ? 0 : calm + 1;
        visits += calm > 2 ? seen : 0;
        misses += calm > 2 ? missed : 0;
        seen = missed = 0;
        disturbed = false;
    }
    return visits ? (double)misses / (double)visits : 0;
}

static void summarise(const struct chases *c, struct summary *m)
{
    uint32_t *count = count_places(c, m);
    uint64_t misses = 0, elsewhere = 0;
    for (uint64_t i = 0; count && i < m->round; i++) {
        misses += count[i];
        elsewhere += is_flagged(c, m, count[i]) ? 0 : count[i];
        m->n_flagged += is_flagged(c, m, count[i]);
    }
    double outliers = 1.5 * c->noise * m->rounds * (double)m->round;
    m->elsewhere = misses ? fmax(0, (double)elsewhere - outliers) / (double)misses : 0;
    if (count && m->n_flagged)
        m->steady = steadiness(c, m, count);
    m->rate = m->rounds ? (double)misses / ((double)m->rounds * (double)m->round) : 0;
    free(count);
}

/* The calmest chase with enough visits: an array that stays has no other misses than outliers. */
static void measure_noise(struct chases *c)
{
    c->noise = 1;
    for (size_t i = 0; i < c->n; i++) {
        struct summary m = c->item[i];
        if (m.rounds * m.round < 200)
            continue;
        summarise(c, &m);
        c->noise = m.rate < c->noise ? m.rate : c->noise;
    }
    c->noise = c->noise > 0.05 ? 0.05 : c->noise;
}

/* Few rounds show misses that no place repeats: then their share counts. */
static bool overflows(const struct summary *m)
{
    return m->n_flagged > 0 || (m->rounds < 8 && m->rate > 0.012);
}

static bool same_stride_then_size(const struct summary *a, const struct summary *b)
{
    return a->stride != b->stride ? a->stride < b->stride : a->array < b->array;
}

static void gather(const struct strata_probe_set *set, const char *path, double carveout,
                   struct chases *c)
{
    for (size_t i = 0; i < set->n_series && c->n < MAX_CHASES; i++) {
        const struct strata_series *s = &set->series[i];
        struct summary m = {.s = s};
        if ((strcmp(s->experiment, "chase") && strcmp(s->experiment, "tlb")) ||
            strcmp(s->path, path) || strata_series_column(s, "index") < 0 ||
            strata_series_column(s, "latency") < 0 ||
            strata_series_parameter(s, "carveout_bytes", -1) != carveout)
            continue;
        m.array = (uint64_t)strata_series_parameter(s, "array_bytes", 0);
        m.stride = (uint64_t)strata_series_parameter(s, "stride_bytes", 0);
        m.element = (uint32_t)strata_series_parameter(s, "element_bytes", 4);
        m.warmup = (uint32_t)strata_series_parameter(s, "warmup", 0);
        if (!m.array || !m.stride || !m.element || m.array < m.stride)
            continue;
        m.round = (m.array + m.stride - 1) / m.stride;
        m.rounds = (uint32_t)(s->n_rows / m.round);
        m.rounds -= m.rounds && !m.warmup;
        size_t at = c->n++;
        for (; at > 0 && same_stride_then_size(&m, &c->item[at - 1]); at--)
            c->item[at] = c->item[at - 1];
        c->item[at] = m;
    }
}

/* Level 1: above the lowest cluster; level 2: the highest one. */
static bool set_threshold(struct chases *c, uint32_t level)
{
    struct clusters k;
    const struct strata_series *list[MAX_CHASES];
    for (size_t i = 0; i < c->n; i++)
        list[i] = c->item[i].s;
    if (!clusters_of_latencies(list, c->n, &k) || k.n < level + 1)
        return false;
    uint32_t below = level == 1 ? 0 : k.n - 2;
    c->threshold = (k.high[below] + k.low[below + 1]) / 2;
    c->front = level == 1 ? 0 : (k.high[0] + k.low[1]) / 2;
    c->hit = k.centre[0];
    c->miss = k.centre[k.n - 1];
    return true;
}

static void know(struct strata_finding *f, double confidence, const char *what, const char *series)
{
    f->known = true;
    f->confidence = confidence;
    snprintf(f->rests_on, sizeof f->rests_on, "%s (%s)", what, series);
}

/* ---- the stages ---- */

/* The largest array that stays, with a larger one that does not; the finest step wins. */
static bool find_resident(const struct chases *c, struct strata_cache_answer *out)
{
    uint64_t best_gap = UINT64_MAX;
    for (size_t i = 0; i + 1 < c->n; i++) {
        const struct summary *a = &c->item[i], *b = &c->item[i + 1];
        if (a->stride != b->stride || a->rounds < 3 || b->rounds < 3 || overflows(a) ||
            !overflows(b) || b->array - a->array >= best_gap)
            continue;
        bool later_fits = false;
        for (size_t k = i + 1; k < c->n && c->item[k].stride == a->stride; k++)
            later_fits = later_fits || (c->item[k].rounds >= 3 && !overflows(&c->item[k]));
        if (later_fits)
            continue;
        best_gap = b->array - a->array;
        out->resident_bytes = out->size_bytes = a->array;
        know(&out->resident, best_gap * 50 <= a->array ? 0.99 : 0.8, "the largest array that stays",
             a->s->name);
    }
    return out->resident.known;
}

/* Under LRU, or where the sets found hold just that much, the largest array that stays is the
 * cache. Where a hash spreads lines unevenly misses begin below the size, and chases in order do
 * not tell how far below. */
static void judge_size(struct strata_cache_answer *out)
{
    if (!out->ways.known && !(out->lru.known && out->is_lru && out->resident.confidence > 0.95))
        return;
    out->size = out->resident;
}

/* A first visit in order misses once per sector. */
static void find_sector(const struct chases *c, struct strata_cache_answer *out)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct summary *m = &c->item[i];
        int latency = strata_series_column(m->s, "latency");
        uint32_t seen[64] = {0}, best = 0;
        size_t last = SIZE_MAX;
        if (m->warmup || m->stride != m->element)
            continue;
        for (size_t r = 0; r < m->s->n_rows && r < m->round; r++) {
            if (strata_series_at(m->s, r, latency) <= c->threshold)
                continue;
            if (last != SIZE_MAX && r - last < 64 * 64)
                for (uint32_t b = 0; b < 12; b++)
                    seen[b] += r - last == 1u << b;
            last = r;
        }
        for (uint32_t b = 1; b < 12; b++)
            best = seen[b] > seen[best] ? b : best;
        if (seen[best] < 4)
            continue;
        out->sector_bytes = (uint32_t)(m->stride << best);
        know(&out->sector, 0.99, "distance of the misses of a first visit", m->s->name);
        return;
    }
}

/* The first array above the size in steps of one stride, and the one that follows another. */
static const struct summary *next_step(const struct chases *c, const struct summary *last,
                                       const struct strata_cache_answer *a)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct summary *m = &c->item[i];
        if (!m->rounds || !m->warmup || (a->sector.known && m->stride < a->sector_bytes))
            continue;
        if (last ? m->stride == last->stride && m->array == last->array + m->stride
                 : m->array == a->size_bytes + m->stride)
            return m;
    }
    return NULL;
}

/* Arrays one step larger at a time: each set that begins to miss shows as a jump of the number of
 * places that miss, by its ways and the line that is too many; a step without a jump shares the set
 * before. It counts only if the sets found so hold exactly the cache. */
static void find_sets(const struct chases *c, struct strata_cache_answer *out)
{
    uint32_t before = 0, sets = 0, shared = 0;
    uint64_t held = 0;
    const struct summary *last = NULL, *m = NULL;
    while ((m = next_step(c, last, out)) != NULL) {
        uint32_t grown = m->n_flagged > before ? m->n_flagged - before : 0;
        last = m;
        if (m->n_flagged == m->round && before == m->round - 1)
            break; /* everything missed before */
        if (grown > 1 && sets < STRATA_DISSECT_MAX_SETS) {
            out->set_ways[sets++] = grown - 1;
            held += grown - 1;
        } else {
            shared++;
        }
        before = m->n_flagged;
    }
    if (!last || last->n_flagged < last->round || held * last->stride != out->size_bytes)
        return;
    for (uint32_t i = 1; i < sets && !out->is_lru; i++)
        if (out->set_ways[i] != out->set_ways[0])
            return; /* a place that happened to hit would look like sets of unequal size */
    out->n_sets = sets;
    know(&out->sets, 0.95, "jumps of the misses until every visit misses", last->s->name);
    know(&out->ways, 0.95, "height of each jump; together they hold the cache", last->s->name);
    if (!shared) {
        out->line_bytes = (uint32_t)last->stride;
        know(&out->line, 0.95, "every step of the array overflows another set", last->s->name);
    }
}

/* LRU and one line too many: the lines of the set miss in every round, and the pattern repeats. */
static const struct summary *find_lru(const struct chases *c, struct strata_cache_answer *out)
{
    const struct summary *best = NULL;
    for (size_t i = 0; i < c->n; i++) {
        const struct summary *m = &c->item[i];
        if (m->array > out->size_bytes && m->rounds >= 8 && m->n_flagged &&
            (!best || m->array < best->array ||
             (m->array == best->array && m->rounds > best->rounds)))
            best = m;
    }
    if (!best)
        return NULL;
    out->is_lru = best->steady > 0.93 && best->elsewhere < 0.1;
    know(&out->lru, 0.98,
         out->is_lru ? "places that miss do so in every round"
                     : "places that miss hit in other rounds",
         best->s->name);
    return best;
}

/* Where victims are chosen at random, sectors that always miss together share a tag. (Under LRU,
 * visits in order push out neighbours together whether they share one or not.) */
struct blocks {
    uint64_t touched, torn; /* with a miss; with a hit as well */
};

static void count_blocks(const struct chases *c, const struct summary *m, uint32_t sectors,
                         struct blocks *out)
{
    int index = strata_series_column(m->s, "index"),
        latency = strata_series_column(m->s, "latency");
    uint64_t last = UINT64_MAX;
    uint32_t seen = 0, missed = 0;
    for (size_t r = m->warmup ? 0 : m->round; r <= m->s->n_rows; r++) {
        uint64_t block = r < m->s->n_rows ? (uint64_t)strata_series_at(m->s, r, index) *
                                                m->element / (m->stride * sectors)
                                          : UINT64_MAX;
        if (block != last) {
            out->touched += seen == sectors && missed;
            out->torn += seen == sectors && missed && missed < seen;
            seen = missed = 0;
        }
        last = block;
        if (r == m->s->n_rows)
            break;
        seen++;
        missed += is_miss(c, strata_series_at(m->s, r, latency));
    }
}

/* The largest blocks that are never torn, if twice as large ones sometimes are: policies that look
 * at age throw out neighbours together too, only not always. */
static void find_line(const struct chases *c, struct strata_cache_answer *out)
{
    struct blocks by_size[6] = {{0}}; /* of 2 << i sectors */
    const struct summary *used = NULL;
    for (size_t i = 0; i < c->n && out->sector.known; i++) {
        const struct summary *m = &c->item[i];
        if (m->stride != out->sector_bytes || m->array <= out->resident_bytes / 2)
            continue;
        used = m;
        for (uint32_t k = 0; k < 6; k++)
            count_blocks(c, m, 2u << k, &by_size[k]);
    }
    for (uint32_t k = 0; used && k < 6; k++) {
        if (by_size[k].touched < 20)
            return;
        if (by_size[k].torn * 500 <= by_size[k].touched)
            continue;
        if (by_size[k].torn < 3 || by_size[k].torn * 200 < by_size[k].touched)
            return; /* neither together nor apart */
        out->line_bytes = (uint32_t)used->stride << k;
        know(&out->line, 0.85, "the largest blocks whose sectors always miss together",
             used->s->name);
        return;
    }
}

/* ---- ways and how often each is replaced (paper 002, section 4.5, figure 11) ---- */

/* With one line too many, one line of the set is out at any time: the line that misses next is the
 * one that the miss before threw out, and it leaves its way to that one. */
static uint32_t replay(const struct chases *c, const struct summary *m, const bool *member,
                       double *by_way, uint32_t ways)
{
    int index = strata_series_column(m->s, "index"),
        latency = strata_series_column(m->s, "latency");
    uint32_t *way_of = calloc(m->round, sizeof *way_of), filled = 0, n = 0;
    uint64_t out = UINT64_MAX;
    for (uint64_t i = 0; way_of && i < m->round; i++)
        way_of[i] = UINT32_MAX;
    for (size_t r = 0; way_of && r < m->s->n_rows; r++) {
        uint64_t place = (uint64_t)strata_series_at(m->s, r, index) * m->element / m->stride;
        if (place >= m->round || !member[place] || !is_miss(c, strata_series_at(m->s, r, latency)))
            continue;
        if (filled < ways && way_of[place] == UINT32_MAX) {
            way_of[place] = filled++;
            continue;
        }
        if (out != UINT64_MAX && out != place && way_of[place] != UINT32_MAX) {
            by_way[way_of[place]]++;
            way_of[out] = way_of[place];
            n++;
        }
        out = place;
    }
    free(way_of);
    return n;
}

static void find_weights(const struct chases *c, struct strata_cache_answer *out)
{
    const struct summary *m = NULL;
    for (size_t i = 0; i < c->n; i++)
        if (!c->item[i].warmup && c->item[i].array == out->size_bytes + c->item[i].stride &&
            c->item[i].rounds >= 20)
            m = &c->item[i];
    /* A false miss swaps two ways for good, so that a long replay needs clean latencies. */
    if (!m || m->n_flagged < 3 || m->n_flagged > STRATA_MAX_WAYS || c->noise > 0.0005)
        return;
    uint32_t *count = count_places(c, m), ways = m->n_flagged - 1;
    bool *member = calloc(m->round, sizeof *member);
    double by_way[STRATA_MAX_WAYS] = {0}, chi = 0;
    for (uint64_t i = 0; count && member && i < m->round; i++)
        member[i] = is_flagged(c, m, count[i]);
    uint32_t n = count && member ? replay(c, m, member, by_way, ways) : 0;
    free(count);
    free(member);
    if (n < 50 * ways)
        return;
    for (uint32_t w = 0; w < ways; w++) {
        out->way_weight[w] = by_way[w] / n;
        chi += (by_way[w] - (double)n / ways) * (by_way[w] - (double)n / ways) / ((double)n / ways);
    }
    out->n_way_weight = ways;
    out->replacement_kind =
        chi > ways + 6 * sqrt(2.0 * ways) ? STRATA_REPL_WEIGHTED : STRATA_REPL_RANDOM;
    know(&out->replacement, 0.9, "which way each miss replaces", m->s->name);
}

/* What hits in a round was there when the round began: the cache holds at least that. Where
 * the stride is at most a line, every place stands for a stride of bytes. */
static void find_at_least(const struct chases *c, struct strata_cache_answer *out)
{
    enum { LARGEST_LINE = 128 };
    for (size_t i = 0; i < c->n; i++) {
        const struct summary *m = &c->item[i];
        uint64_t held = (uint64_t)((1 - m->rate) * (double)m->round) * m->stride;
        if (m->stride > LARGEST_LINE || m->rounds < 3 || held <= out->at_least_bytes)
            continue;
        out->at_least_bytes = held;
        know(&out->at_least, 0.95, "the most that hit in a round", m->s->name);
    }
}

static void dissect_variant(const struct strata_probe_set *set, const char *path, uint32_t level,
                            double carveout, struct strata_cache_answer *out)
{
    struct chases *c = calloc(1, sizeof *c);
    memset(out, 0, sizeof *out);
    if (!c)
        return;
    gather(set, path, carveout, c);
    if (!c->n || !set_threshold(c, level)) {
        free(c);
        return;
    }
    measure_noise(c);
    for (size_t i = 0; i < c->n; i++)
        summarise(c, &c->item[i]);
    out->hit_cycles = (uint32_t)(c->hit + 0.5);
    out->miss_cycles = (uint32_t)(c->miss + 0.5);
    know(&out->latency, 0.95, "centres of the latencies", path);
    find_sector(c, out);
    if (find_resident(c, out) && find_lru(c, out)) {
        find_sets(c, out);
        if (out->is_lru) {
            out->replacement_kind = STRATA_REPL_LRU;
            out->replacement = out->lru;
        } else {
            find_weights(c, out);
        }
    }
    if (out->resident.known && out->lru.known && !out->is_lru && !out->line.known)
        find_line(c, out);
    judge_size(out);
    if (!out->size.known && out->resident.known)
        find_at_least(c, out);
    free(c);
}

/* What does not depend on the size may come from another carve-out. */
static void fill_in(struct strata_cache_answer *out, const struct strata_cache_answer *more)
{
    if (!out->sector.known && more->sector.known) {
        out->sector = more->sector;
        out->sector_bytes = more->sector_bytes;
    }
    if (!out->line.known && more->line.known) {
        out->line = more->line;
        out->line_bytes = more->line_bytes;
    }
    if (!out->lru.known && more->lru.known) {
        out->lru = more->lru;
        out->is_lru = more->is_lru;
        out->replacement = more->replacement;
        out->replacement_kind = more->replacement_kind;
        memcpy(out->way_weight, more->way_weight, sizeof out->way_weight);
        out->n_way_weight = more->n_way_weight;
    }
}

static int compare_carveouts(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void strata_dissect_chases(const struct strata_probe_set *set, const char *path, uint32_t level,
                           struct strata_cache_answer *out)
{
    double carveout[32];
    size_t n = 0;
    for (size_t i = 0; i < set->n_series && n < 32; i++) {
        double at = strata_series_parameter(&set->series[i], "carveout_bytes", -1);
        size_t k = 0;
        while (k < n && carveout[k] != at)
            k++;
        if (!strcmp(set->series[i].path, path) && k == n)
            carveout[n++] = at;
    }
    qsort(carveout, n, sizeof *carveout, compare_carveouts);
    struct strata_cache_answer *more = malloc(sizeof *more);
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < n && more; i++) {
        dissect_variant(set, path, level, carveout[i], more);
        if (!out->latency.known)
            *out = *more;
        else
            fill_in(out, more);
    }
    free(more);
}
