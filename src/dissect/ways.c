/* ways.c - how many lines each set holds. */
#include <string.h>

#include "dissect/inference.h"

static bool first_lines(struct oracle *o, const struct mapping *m, uint32_t set, size_t n,
                        uint64_t *line)
{
    for (size_t i = 0; i < n; i++)
        if (!mapping_line(m, o, set, i, &line[i]))
            return false;
    return true;
}

/* 1: n lines fit, 0: they do not, -1: there are not so many lines. */
static int fits(struct oracle *o, const struct mapping *m, uint32_t set, size_t n)
{
    uint64_t line[MAX_SET_LINES];
    if (n > MAX_SET_LINES || !first_lines(o, m, set, n, line))
        return -1;
    return !oracle_overflows(o, line, n);
}

static uint32_t ways_of(struct oracle *o, const struct mapping *m, uint32_t set, uint32_t guess)
{
    size_t low = 1, high = guess + 1; /* low fits always, high shall not */
    int f;
    while ((f = fits(o, m, set, high)) == 1) {
        low = high;
        high *= 2;
    }
    if (f < 0 || o->exhausted)
        return 0;
    while (high - low > 1) {
        size_t middle = high - low > 2 && high == guess + 1 && low == 1 ? guess : (low + high) / 2;
        f = fits(o, m, set, middle);
        if (f < 0)
            return 0;
        if (f)
            low = middle;
        else
            high = middle;
    }
    return o->exhausted || o->status != STRATA_OK ? 0 : (uint32_t)low;
}

bool find_ways(struct oracle *o, const struct mapping *m, uint32_t guess, uint32_t *ways)
{
    for (uint32_t s = 0; s < m->n_sets; s++) {
        ways[s] = ways_of(o, m, s, guess ? guess : 1);
        if (!ways[s])
            return false;
        guess = ways[s];
    }
    return true;
}
