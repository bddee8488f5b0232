/* dissect_l2.c - what chases that go to the L2 and to DRAM tell: what a read from DRAM brings, and
 * whether the L2 has a near and a far part. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dissect/clusters.h"
#include "dissect/facts.h"

static bool is_chase(const struct strata_series *s, const char *path)
{
    return !strcmp(s->experiment, "chase") && !strcmp(s->path, path) && s->n_rows >= 64 &&
           strata_series_column(s, "latency") >= 0;
}

/* ---- what a read from DRAM brings ---- */

/* A first visit in order: the distance of the long latencies, or hardly any at all. */
static void fetch_of(const struct strata_series *s, struct fact_sink *f)
{
    int latency = strata_series_column(s, "latency");
    double stride = strata_series_parameter(s, "stride_bytes", 0), lows = INFINITY;
    uint32_t seen[8] = {0}, best = 0;
    size_t last = SIZE_MAX, misses = 0;
    double *value = malloc(s->n_rows * sizeof *value);
    if (!value)
        return;
    for (size_t r = 0; r < s->n_rows; r++) {
        value[r] = strata_series_at(s, r, latency);
        lows = fmin(lows, value[r]);
    }
    for (size_t r = 0; r < s->n_rows; r++) {
        if (value[r] < 1.6 * lows)
            continue;
        misses++;
        for (uint32_t b = 0; b < 8 && last != SIZE_MAX; b++)
            seen[b] += r - last == (size_t)1 << b;
        last = r;
    }
    free(value);
    for (uint32_t b = 1; b < 8; b++)
        best = seen[b] > seen[best] ? b : best;
    struct strata_finding x = finding_of(0.95, "%zu of %zu first visits in order are long (%s)",
                                         misses, s->n_rows, s->name);
    if (misses && misses * 50 <= s->n_rows)
        fact_add(f, "l2.sequential_prefetch", "", &x, "yes");
    else if (seen[best] * 10 >= misses * 8 && misses > 16)
        fact_add(f, "l2.fetch", "bytes", &x, "%.0f", stride * (1u << best));
}

void infer_l2_fetch(const struct strata_probe_set *set, struct fact_sink *f)
{
    for (size_t i = 0; i < set->n_series; i++) {
        const struct strata_series *s = &set->series[i];
        if ((is_chase(s, "l2") || is_chase(s, "dram")) &&
            strata_series_parameter(s, "warmup", 1) < 1 &&
            strata_series_parameter(s, "stride_bytes", 0) == 32)
            fetch_of(s, f);
    }
}

/* ---- near and far ---- */

enum { BIN_CYCLES = 4, BINS = 256 };

struct histogram {
    double count[BINS], total;
};

static void add_column(const struct strata_series *s, const char *name, struct histogram *h)
{
    int latency = strata_series_column(s, name);
    for (size_t r = 0; r < s->n_rows; r++) {
        double v = strata_series_at(s, r, latency) / BIN_CYCLES;
        if (v >= 0 && v < BINS) {
            h->count[(size_t)v]++;
            h->total++;
        }
    }
}

/* The split that leaves the least variance within both halves (Otsu 1979). */
static size_t best_split(const struct histogram *h)
{
    double best = -1, left = 0, sum = 0, all = 0;
    size_t at = 0;
    for (size_t i = 0; i < BINS; i++)
        all += (double)i * h->count[i];
    for (size_t i = 0; i + 1 < BINS; i++) {
        left += h->count[i];
        sum += (double)i * h->count[i];
        if (!(left > 0) || !(h->total - left > 0))
            continue;
        double gap = sum / left - (all - sum) / (h->total - left),
               between = left * (h->total - left) * gap * gap;
        if (between > best) {
            best = between;
            at = i + 1;
        }
    }
    return at;
}

static size_t tallest(const struct histogram *h, size_t from, size_t to)
{
    size_t best = from;
    for (size_t i = from; i < to; i++)
        best = h->count[i] > h->count[best] ? i : best;
    return best;
}

static double middle(const struct histogram *h, size_t from, size_t to)
{
    double all = 0, seen = 0;
    for (size_t i = from; i < to; i++)
        all += h->count[i];
    for (size_t i = from; i < to; i++) {
        if (seen + h->count[i] >= all / 2)
            return ((double)i + (all / 2 - seen) / h->count[i]) * BIN_CYCLES;
        seen += h->count[i];
    }
    return 0;
}

/* Two heaps with a valley between them of less than a quarter of the lower one, both with a fifth
 * of the hits. One SM's chase over lines it has read before cannot tell a far partition from slices
 * further away: what is far may have left a copy nearby. */
static void heaps_of_chases(const struct strata_probe_set *set, struct fact_sink *f)
{
    struct histogram *h = calloc(1, sizeof *h);
    const struct strata_series *last = NULL;
    for (size_t i = 0; h && i < set->n_series; i++)
        if (is_chase(&set->series[i], "l2") &&
            strata_series_parameter(&set->series[i], "warmup", 0) >= 1) {
            last = &set->series[i];
            add_column(last, "latency", h);
        }
    if (last && h->total >= 500) {
        size_t split = best_split(h), near = tallest(h, 0, split), far = tallest(h, split, BINS),
               valley = near;
        double share = 0;
        for (size_t i = near; i <= far; i++)
            valley = h->count[i] < h->count[valley] ? i : valley;
        for (size_t i = 0; i < valley; i++)
            share += h->count[i] / h->total;
        double low = middle(h, 0, valley), high = middle(h, valley, BINS);
        if (share > 0.2 && share < 0.8 &&
            h->count[valley] < 0.25 * fmin(h->count[near], h->count[far]) && high < 1.5 * low) {
            struct strata_finding x =
                finding_of(0.95, "two heaps of latencies, %.0f %% in the lower one (%s)",
                           100 * share, last->name);
            fact_add(f, "l2.hit", "cycles", &x, "%.0f", low);
            fact_add(f, "l2.second_heap_extra", "cycles", &x, "%.0f", high - low);
        }
    }
    free(h);
}

static bool is_partition(const struct strata_series *s)
{
    return !strcmp(s->experiment, "l2-partition") && strata_series_column(s, "sm") >= 0 &&
           strata_series_column(s, "first") >= 0;
}

/* Lines that one SM has brought into the L2, read once by every other: on the SMs of the other
 * partition about half of these first reads, and hardly any on the SMs of its own, cross over. */
struct crossing {
    double near, far, n_near, n_far;
};

static void first_reads(const struct strata_series *s, double split, struct crossing *c)
{
    int sm_column = strata_series_column(s, "sm"), first = strata_series_column(s, "first");
    uint32_t n[STRATA_MAX_SMS] = {0}, far[STRATA_MAX_SMS] = {0};
    for (int pass = 0; pass < 2; pass++)
        for (size_t r = 0; r < s->n_rows; r++) {
            double sm = strata_series_at(s, r, sm_column), v = strata_series_at(s, r, first);
            if (!(sm >= 0 && sm < STRATA_MAX_SMS))
                continue;
            uint32_t k = (uint32_t)sm;
            if (!pass) {
                n[k]++;
                far[k] += v >= split;
            } else if (far[k] * 5 > n[k]) {
                *(v >= split ? &c->far : &c->near) += v;
                *(v >= split ? &c->n_far : &c->n_near) += 1;
            }
        }
}

/* The widest stretch of empty bins between two heaps that both hold a twentieth of the reads. */
static double gap_of(const struct histogram *h)
{
    double left = 0, at = 0;
    size_t widest = 0, empty = 0;
    for (size_t i = 0; i < BINS; i++) {
        if (h->count[i] > h->total / 2000) {
            if (empty > widest && left > h->total / 20 && h->total - left > h->total / 20) {
                widest = empty;
                at = ((double)i - (double)empty / 2) * BIN_CYCLES;
            }
            empty = 0;
        } else
            empty++;
        left += h->count[i];
    }
    return widest * BIN_CYCLES >= 40 ? at : 0;
}

static bool partitions_of_first_reads(const struct strata_probe_set *set, struct fact_sink *f)
{
    struct histogram *h = calloc(1, sizeof *h);
    struct crossing c = {0};
    const struct strata_series *last = NULL;
    for (size_t i = 0; h && i < set->n_series; i++)
        if (is_partition(&set->series[i]))
            add_column(last = &set->series[i], "first", h);
    double split = last ? gap_of(h) : 0;
    free(h);
    for (size_t i = 0; split > 0 && i < set->n_series; i++)
        if (is_partition(&set->series[i]))
            first_reads(&set->series[i], split, &c);
    if (c.n_near < 100 || c.n_far < 100)
        return false;
    double near = c.near / c.n_near, far = c.far / c.n_far;
    struct strata_finding x =
        finding_of(0.95, "first reads of lines another SM brought: %.0f near, %.0f across (%s)",
                   c.n_near, c.n_far, last->name);
    fact_add(f, "l2.hit", "cycles", &x, "%.0f", near);
    fact_add(f, "l2.far_extra", "cycles", &x, "%.0f", far - near);
    return true;
}

void infer_l2_partitions(const struct strata_probe_set *set, struct fact_sink *f)
{
    if (!partitions_of_first_reads(set, f))
        heaps_of_chases(set, f);
}
