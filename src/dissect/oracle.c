/* oracle.c - hit or miss from latencies with outliers, and "do these lines fit?". */
#include "dissect/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/rng.h"

void oracle_init(struct oracle *o, const struct strata_prober *prober,
                 const struct strata_dissect_options *opt, struct strata_error *err)
{
    memset(o, 0, sizeof *o);
    o->prober = prober;
    o->err = err;
    o->seed = opt->seed;
    o->max_visits = opt->max_visits;
}

void oracle_release(struct oracle *o)
{
    free(o->offset);
    free(o->latency);
    free(o->order);
    free(o->count);
}

uint64_t oracle_random(struct oracle *o, uint64_t below)
{
    return rng_below(o->seed, o->draws++, below);
}

bool oracle_reserve(struct oracle *o, size_t n)
{
    if (ARRAY_RESERVE(o->offset, 0, o->cap_offset, n) &&
        ARRAY_RESERVE(o->latency, 0, o->cap_latency, n))
        return o->status == STRATA_OK;
    o->status = strata_no_memory(o->err, NULL, "for a series of visits");
    return false;
}

bool oracle_visit(struct oracle *o, size_t n)
{
    if (o->status != STRATA_OK || o->exhausted)
        return false;
    if (o->visits + n > o->max_visits) {
        o->exhausted = true;
        return false;
    }
    o->visits += n;
    o->status = o->prober->visit(o->prober->context, o->offset, n, o->latency, o->err);
    return o->status == STRATA_OK;
}

enum outcome oracle_outcome(const struct oracle *o, uint32_t latency)
{
    if (latency >= o->hit_low && latency <= o->hit_high)
        return OUTCOME_HIT;
    if (latency >= o->miss_low && latency <= o->miss_high)
        return OUTCOME_MISS;
    return OUTCOME_STRANGE;
}

/* ---- calibration ---- */

static int compare_latency(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The range most latencies of one kind lie in: the middle 90 % widened by half its width (at least
 * by 2 cycles), so that jitter stays inside and outliers do not. */
static void typical(uint32_t *latency, size_t n, uint32_t *low, uint32_t *high, uint32_t *middle)
{
    qsort(latency, n, sizeof *latency, compare_latency);
    uint32_t from = latency[n / 20], to = latency[n - 1 - n / 20], margin = (to - from) / 2 + 2;
    *low = from > margin ? from - margin : 0;
    *high = to + margin;
    *middle = latency[n / 2];
}

static double share(const struct oracle *o, const uint32_t *latency, size_t n, enum outcome wanted)
{
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        k += oracle_outcome(o, latency[i]) == wanted;
    return ((double)k + 1) / ((double)n + 2);
}

/* One offset again and again hits; offsets never visited before, far apart, miss. */
bool oracle_calibrate(struct oracle *o)
{
    enum { N = 10000, FRESH = 2000 };
    uint32_t hits[N], fresh[FRESH];
    if (!oracle_reserve(o, N + 1))
        return false;
    memset(o->offset, 0, (N + 1) * sizeof *o->offset);
    if (!oracle_visit(o, N + 1))
        return false;
    memcpy(hits, o->latency + 1, sizeof hits);
    uint64_t spread =
        o->prober->reach_bytes / FRESH / o->prober->unit_bytes * o->prober->unit_bytes;
    for (size_t i = 0; i < FRESH; i++)
        o->offset[i] = i * spread;
    if (!oracle_visit(o, FRESH))
        return false;
    memcpy(fresh, o->latency, sizeof fresh);
    typical(hits, N, &o->hit_low, &o->hit_high, &o->hit_cycles);
    typical(fresh, FRESH, &o->miss_low, &o->miss_high, &o->miss_cycles);
    if (o->hit_high >= o->miss_low) {
        if (o->hit_cycles + 2 >= o->miss_cycles)
            return false;
        o->hit_high = (o->hit_cycles + o->miss_cycles) / 2;
        o->miss_low = o->hit_high + 1;
    }
    o->miss_low = o->hit_high + 1; /* a level in between is a miss too */
    o->false_miss = share(o, hits, N, OUTCOME_MISS);
    o->false_hit = share(o, fresh, FRESH, OUTCOME_HIT);
    return o->false_miss < 0.2 && o->false_hit < 0.2;
}

/* ---- do lines fit? ---- */

static void shuffle(struct oracle *o, uint32_t *order, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)oracle_random(o, i);
        uint32_t t = order[i - 1];
        order[i - 1] = order[j];
        order[j] = t;
    }
}

/* A visit of all lines and `passes` more, each in an order of its own: a line that happens to be
 * safe in one order (tree pseudo-LRU, a way that is never replaced) is not in the next run. Adds to
 * o->count and gives the number of misses after the first visit. */
static bool run_passes(struct oracle *o, const uint64_t *line, size_t n, uint32_t passes,
                       uint64_t *misses)
{
    size_t total = n * (passes + 1);
    if (!oracle_reserve(o, total) || !ARRAY_RESERVE(o->order, 0, o->cap_order, total))
        return false;
    for (uint32_t p = 0; p <= passes; p++) {
        uint32_t *order = o->order + p * n;
        for (size_t i = 0; i < n; i++)
            order[i] = (uint32_t)i;
        shuffle(o, order, n);
        for (size_t i = 0; i < n; i++)
            o->offset[p * n + i] = line[order[i]];
    }
    if (!oracle_visit(o, total))
        return false;
    for (size_t i = n; i < total; i++)
        if (oracle_outcome(o, o->latency[i]) == OUTCOME_MISS) {
            o->count[o->order[i]]++;
            ++*misses;
        }
    return true;
}

static bool clear_counts(struct oracle *o, size_t n)
{
    if (!ARRAY_RESERVE(o->count, 0, o->cap_count, n)) {
        o->status = strata_no_memory(o->err, NULL, "for counts of misses");
        return false;
    }
    memset(o->count, 0, n * sizeof *o->count);
    return true;
}

bool oracle_count_misses(struct oracle *o, const uint64_t *line, size_t n, uint32_t passes)
{
    uint64_t misses = 0;
    if (!clear_counts(o, n))
        return false;
    for (uint32_t done = 0; done < passes; done += 10)
        if (!run_passes(o, line, n, passes - done < 10 ? passes - done : 10, &misses))
            return false;
    return true;
}

/* Spread of the counts in standard deviations: outliers fall on all lines alike, real misses only
 * on those of a set that is too full. */
static double unevenness(const uint32_t *count, size_t n)
{
    double sum = 0, square = 0;
    for (size_t i = 0; i < n; i++) {
        sum += count[i];
        square += (double)count[i] * count[i];
    }
    if (!(sum > 0))
        return 0;
    /* Few counts have a long tail: as if each line had missed a little more often. */
    double mean = sum / (double)n, chi = (square - sum * mean) / (mean + 0.1);
    return (chi - (double)n) / sqrt((2 + 1 / (mean + 0.1)) * (double)n);
}

/* Few lines: a sequential test of the share of misses (Wald 1945). Each pass over a set with a line
 * too many has one miss at least and one and a half on average, so that n lines miss at a rate of
 * 1/n more. */
static bool few_overflow(struct oracle *o, const uint64_t *line, size_t n)
{
    const double certain = 16; /* log of the odds at which the test stops */
    double p0 = o->false_miss * 1.25 + 0.001, p1 = p0 + 0.85 / (double)n, odds = 0;
    if (p1 > 0.9)
        p1 = 0.9;
    double up = log(p1 / p0), down = log((1 - p1) / (1 - p0));
    for (uint32_t passes = 3; fabs(odds) < certain;) {
        uint64_t misses = 0;
        if (!run_passes(o, line, n, passes, &misses))
            return false;
        odds += (double)misses * up + ((double)(passes * n) - (double)misses) * down;
        passes = passes < 12 ? passes * 2 : 12;
    }
    return odds > 0;
}

static bool many_overflow(struct oracle *o, const uint64_t *line, size_t n)
{
    enum { STEP = 10, QUIET = 200, LOUD = 40 };
    uint64_t misses = 0;
    for (uint32_t passes = 0, step = 3; passes < (o->loud ? LOUD : QUIET);
         passes += step, step = STEP) {
        if (!run_passes(o, line, n, step, &misses))
            return false;
        double rate = (double)misses / ((double)n * (passes + step));
        if (unevenness(o->count, n) > 9 || (rate > 1.5 * o->false_miss + 0.01 && misses > 40))
            return true;
    }
    return unevenness(o->count, n) > 5.5;
}

bool oracle_overflows(struct oracle *o, const uint64_t *line, size_t n)
{
    if (n < 2 || !clear_counts(o, n))
        return false;
    return n <= 100 ? few_overflow(o, line, n) : many_overflow(o, line, n);
}
