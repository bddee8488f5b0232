/* histogram.c - counts by distance. */
#include "reuse/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "reuse/stack.h"

void reuse_histogram_release(struct reuse_histogram *h)
{
    free(h->count);
    memset(h, 0, sizeof *h);
}

static strata_status reach(struct reuse_histogram *h, size_t n, struct strata_error *err)
{
    if (n <= h->n)
        return STRATA_OK;
    if (!ARRAY_RESERVE(h->count, h->n, h->cap, n - h->n))
        return strata_no_memory(err, NULL, "for a histogram of %zu distances", n);
    memset(h->count + h->n, 0, (n - h->n) * sizeof *h->count);
    h->n = n;
    return STRATA_OK;
}

strata_status reuse_histogram_add(struct reuse_histogram *h, const uint32_t *distance, size_t n,
                                  struct strata_error *err)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t d = distance[i];
        if (d == REUSE_COLD) {
            h->cold++;
            continue;
        }
        if (d >= h->n) {
            strata_status st = reach(h, (size_t)d + 1, err);
            if (st != STRATA_OK)
                return st;
        }
        h->count[d]++;
    }
    h->total += n;
    return STRATA_OK;
}

strata_status reuse_histogram_merge(struct reuse_histogram *h, const struct reuse_histogram *other,
                                    struct strata_error *err)
{
    strata_status st = reach(h, other->n, err);
    if (st != STRATA_OK)
        return st;
    for (size_t d = 0; d < other->n; d++)
        h->count[d] += other->count[d];
    h->cold += other->cold;
    h->total += other->total;
    return STRATA_OK;
}

uint64_t reuse_histogram_misses(const struct reuse_histogram *h, uint64_t lines)
{
    uint64_t misses = h->cold;
    for (size_t d = lines < h->n ? (size_t)lines : h->n; d < h->n; d++)
        misses += h->count[d];
    return misses;
}

/* P(hit | d) falls with d: going from d to d + 1 lines in between, a hit is lost if exactly ways -
 * 1 of d shared the set and the next one does too. */
double reuse_histogram_misses_in_sets(const struct reuse_histogram *h, uint64_t lines,
                                      uint32_t ways)
{
    if (!ways || ways >= lines)
        return (double)reuse_histogram_misses(h, lines);
    double p = (double)ways / (double)lines, hit = 1, misses = (double)h->cold;
    double log_edge = 0; /* log of C(d, ways-1) p^(ways-1) (1-p)^(d-ways+1) */
    for (size_t d = 0; d < h->n; d++) {
        misses += (double)h->count[d] * (1 - hit);
        if (d + 1 < ways)
            continue;
        log_edge = d + 1 == ways ? (double)(ways - 1) * log(p)
                                 : log_edge + log((double)d / (double)(d - ways + 1)) + log1p(-p);
        hit -= p * exp(log_edge);
        if (hit < 0)
            hit = 0;
    }
    return misses;
}
