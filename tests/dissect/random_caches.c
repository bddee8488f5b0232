/* random_caches SEED COUNT [-v [FIRST]]: dissects random caches blindly and says how many answers
 * were right, wrong or left open. Exits 1 if fewer than 95 % are fully right or more than 1 %
 * wrong. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <strata/dissect.h>

#include "base/bits.h"
#include "base/rng.h"
#include "cache/index.h"

struct draw {
    uint64_t seed, i;
};

static uint64_t draw(struct draw *d, uint64_t from, uint64_t to)
{
    return from + rng_below(d->seed, d->i++, to - from + 1);
}

/* ---- a random cache ---- */

static void random_bits(struct draw *d, struct strata_cache_config *g, uint32_t n)
{
    uint32_t shift = log2_floor(g->line_bytes), used = 0;
    while (g->n_index_bits < n) {
        uint32_t bit = (uint32_t)draw(d, 0, 11);
        if (used >> bit & 1)
            continue;
        used |= 1u << bit;
        g->index_bits[g->n_index_bits++] = shift + bit;
    }
}

static uint32_t random_addressing(struct draw *d, struct strata_cache_config *g)
{
    static const uint32_t xors[] = {STRATA_INDEX_XOR, STRATA_INDEX_FERMI, STRATA_INDEX_IPOLY};
    uint32_t kind = (uint32_t)draw(d, 0, 2), bits = (uint32_t)draw(d, 0, 6);
    if (kind == 0)
        return (uint32_t)draw(d, 1, 64);
    if (kind == 1) {
        g->index_hash = STRATA_INDEX_BITS;
        random_bits(d, g, bits);
    } else {
        g->index_hash = xors[draw(d, 0, 2)];
    }
    return 1u << bits;
}

static void random_cache(struct draw *d, struct strata_cache_config *g)
{
    static const uint32_t policies[] = {STRATA_REPL_LRU, STRATA_REPL_FIFO, STRATA_REPL_RANDOM,
                                        STRATA_REPL_PLRU, STRATA_REPL_WEIGHTED};
    memset(g, 0, sizeof *g);
    g->line_bytes = g->sector_bytes = 1u << draw(d, 4, 8);
    uint32_t sets = random_addressing(d, g), lines = 0;
    g->ways = (uint32_t)draw(d, 1, 32);
    if (draw(d, 0, 2) == 0 && sets > 1) {
        g->n_set_ways = sets;
        for (uint32_t s = 0; s < sets; s++)
            g->set_ways[s] = (uint32_t)draw(d, 1, 32);
    }
    for (uint32_t s = 0; s < sets; s++)
        lines += g->n_set_ways ? g->set_ways[s] : g->ways;
    g->size_bytes = (uint64_t)lines * g->line_bytes;
    g->replacement = policies[draw(d, 0, 4)];
    if (g->replacement == STRATA_REPL_WEIGHTED) {
        double sum = 0;
        g->n_way_weight = 32;
        for (uint32_t w = 0; w < 32; w++)
            sum += g->way_weight[w] = (double)draw(d, 1, 6);
        for (uint32_t w = 0; w < 32; w++)
            g->way_weight[w] /= sum;
    }
}

/* ---- is the answer right? ---- */

static uint32_t n_sets(const struct strata_cache_config *g)
{
    return g->n_set_ways ? g->n_set_ways : (uint32_t)(g->size_bytes / g->line_bytes / g->ways);
}

static uint32_t ways_of(const struct strata_cache_config *g, uint32_t set)
{
    return g->n_set_ways ? g->set_ways[set] : g->ways;
}

static uint32_t most_ways(const struct strata_cache_config *g)
{
    uint32_t most = 0;
    for (uint32_t s = 0; s < n_sets(g); s++)
        most = ways_of(g, s) > most ? ways_of(g, s) : most;
    return most;
}

/* Lines together in one are together in the other, and the set has as many ways. */
static bool same_mapping(struct draw *d, const struct strata_cache_config *g,
                         const struct strata_cache_answer *a)
{
    uint32_t truth_of[STRATA_DISSECT_MAX_SETS];
    memset(truth_of, 0xff, sizeof truth_of);
    for (int i = 0; i < 20000; i++) {
        uint64_t offset = draw(d, 0, (1u << 20) - 1) * g->line_bytes;
        uint32_t ours = strata_cache_answer_set(a, offset), truth = index_of(g, n_sets(g), offset);
        if (ours >= a->n_sets || (truth_of[ours] != UINT32_MAX && truth_of[ours] != truth))
            return false;
        truth_of[ours] = truth;
        if (a->ways.known && a->set_ways[ours] != ways_of(g, truth))
            return false;
    }
    return true;
}

static bool same_weights(const struct strata_cache_config *g, const struct strata_cache_answer *a,
                         bool even)
{
    uint32_t ways = most_ways(g);
    double sum = 0;
    for (uint32_t w = 0; w < ways; w++)
        sum += g->way_weight[w];
    for (uint32_t w = 0; w < ways; w++)
        if (fabs((even ? 1.0 / ways : a->way_weight[w]) - g->way_weight[w] / sum) >
            (even ? 0.1 / ways : 0.025))
            return false;
    return true;
}

static bool same_policy(const struct strata_cache_config *g, const struct strata_cache_answer *a)
{
    uint32_t ways = most_ways(g), truth = g->replacement;
    if (ways == 1)
        return true;
    if (truth == STRATA_REPL_WEIGHTED && a->replacement_kind == STRATA_REPL_RANDOM)
        return same_weights(g, a, true);
    if (truth == STRATA_REPL_PLRU && ways == 2)
        truth = STRATA_REPL_LRU;
    return a->replacement_kind == truth &&
           (truth != STRATA_REPL_WEIGHTED || same_weights(g, a, false));
}

enum verdict { RIGHT, OPEN, WRONG };

static enum verdict judge(struct draw *d, const struct strata_cache_config *g,
                          const struct strata_cache_answer *a, const char **what)
{
    bool is_lru = g->replacement == STRATA_REPL_LRU || most_ways(g) == 1 ||
                  (most_ways(g) == 2 && g->replacement == STRATA_REPL_PLRU);
    *what = a->size.known && a->size_bytes != g->size_bytes         ? "size"
            : a->line.known && a->line_bytes != g->line_bytes       ? "line"
            : a->sector.known && a->sector_bytes != g->sector_bytes ? "sector"
            : a->sets.known && a->n_sets != n_sets(g)               ? "sets"
            : a->addressing.known && !same_mapping(d, g, a)         ? "addressing or ways"
            : a->lru.known && a->is_lru != is_lru                   ? "lru"
            : a->replacement.known && !same_policy(g, a)            ? "replacement"
                                                                    : NULL;
    if (*what)
        return WRONG;
    *what = !a->line.known                           ? "line"
            : !a->sets.known || !a->addressing.known ? "sets"
            : !a->ways.known || !a->size.known       ? "ways"
            : !a->replacement.known                  ? "replacement"
                                                     : NULL;
    return *what ? OPEN : RIGHT;
}

static void show(unsigned n, const struct strata_cache_config *g,
                 const struct strata_cache_answer *a, enum verdict v, const char *what)
{
    static const char *const word[] = {"right", "open", "WRONG"};
    printf("%4u %-5s %-20s truth: %8llu bytes, line %3u, %2u sets, %2u ways%s, index %u, policy %u "
           "| found: %8llu, %3u, %3u sets, %2u ways, %s, "
           "policy %u, %.1f M visits\n",
           n, word[v], what ? what : "", (unsigned long long)g->size_bytes, g->line_bytes,
           n_sets(g), most_ways(g), g->n_set_ways ? " unequal" : "", g->index_hash, g->replacement,
           (unsigned long long)a->size_bytes, a->line_bytes, a->n_sets, a->set_ways[0],
           strata_addressing_name(a->addressing_kind), a->replacement_kind,
           (double)a->visits / 1e6);
}

static enum verdict one(uint64_t seed, unsigned n, bool verbose)
{
    struct draw d = {.seed = seed, .i = (uint64_t)n << 32};
    struct strata_cache_config g;
    struct strata_cache_answer a;
    struct strata_dissect_options opt;
    struct strata_modelled_cache *m;
    struct strata_prober prober;
    struct strata_error err;
    random_cache(&d, &g);
    const struct strata_modelled_cache_options noise = {.hit_cycles = (uint32_t)draw(&d, 20, 100),
                                                        .miss_cycles = (uint32_t)draw(&d, 160, 500),
                                                        .jitter_cycles = 4,
                                                        .outliers = 0.02,
                                                        .seed = draw(&d, 1, 1u << 30)};
    if (strata_modelled_cache_create(&g, &noise, &m, &err) != STRATA_OK) {
        fprintf(stderr, "random_caches: %s\n", err.message);
        exit(3);
    }
    strata_modelled_cache_prober(m, &prober);
    strata_dissect_options_init(&opt);
    const char *what;
    if (strata_dissect_cache(&prober, &opt, &a, &err) != STRATA_OK) {
        fprintf(stderr, "random_caches: %s\n", err.message);
        exit(3);
    }
    enum verdict v = judge(&d, &g, &a, &what);
    if (verbose || v != RIGHT)
        show(n, &g, &a, v, what);
    strata_modelled_cache_destroy(m);
    return v;
}

int main(int argc, char **argv)
{
    unsigned count[3] = {0}, n = argc > 2 ? (unsigned)atoi(argv[2]) : 300;
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    bool verbose = argc > 3 && !strcmp(argv[3], "-v");
    unsigned first = argc > 4 ? (unsigned)atoi(argv[4]) : 0; /* for a closer look at one of them */
    for (unsigned i = first; i < first + n; i++)
        count[one(seed, i, verbose)]++;
    printf("seed %llu: %u caches, %u fully right (%.2f %%), %u undetermined, %u wrong (%.2f %%)\n",
           (unsigned long long)seed, n, count[RIGHT], 100.0 * count[RIGHT] / n, count[OPEN],
           count[WRONG], 100.0 * count[WRONG] / n);
    return count[RIGHT] * 100 < 95 * n || count[WRONG] * 100 > n;
}
