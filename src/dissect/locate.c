/* locate.c - what one miss brings, and one set with a line too many. */
#include <stdlib.h>
#include <string.h>

#include "dissect/inference.h"

/* A fresh offset and then one `distance` further: does the second hit? A vote of several places. */
static bool brings(struct oracle *o, uint64_t distance)
{
    enum { PLACES = 25 };
    uint64_t step = distance * 4 > 8192 ? distance * 4 : 8192;
    size_t n = 0, votes = 0;
    if (!oracle_reserve(o, 2 * PLACES))
        return false;
    for (; n < PLACES && (n + 1) * step <= o->prober->reach_bytes; n++) {
        o->offset[2 * n] = n * step;
        o->offset[2 * n + 1] = n * step + distance;
    }
    if (n < 5 || !oracle_visit(o, 2 * n))
        return false;
    for (size_t i = 0; i < n; i++)
        votes += oracle_outcome(o, o->latency[2 * i + 1]) == OUTCOME_HIT;
    return votes * 2 > n;
}

uint32_t find_granularity(struct oracle *o)
{
    uint64_t unit = o->prober->unit_bytes;
    while (unit * 64 <= o->prober->reach_bytes && unit < (1u << 30) && brings(o, unit))
        unit *= 2;
    return o->status == STRATA_OK && !o->exhausted && unit * 64 <= o->prober->reach_bytes
               ? (uint32_t)unit
               : 0;
}

/* ---- the first overflowing set ---- */

static void spread(uint64_t *line, size_t n, uint64_t stride)
{
    for (size_t i = 0; i < n; i++)
        line[i] = i * stride;
}

/* Smallest number of lines `stride` apart that do not fit; `limit` + 1 if that many fit. */
static size_t smallest_overflow(struct oracle *o, uint64_t *line, uint64_t stride, size_t limit)
{
    size_t low = 1, high = 2; /* low fits */
    spread(line, limit, stride);
    while (!oracle_overflows(o, line, high)) {
        low = high;
        if (high == limit || o->exhausted || o->status != STRATA_OK)
            return limit + 1;
        high = high * 2 > limit ? limit : high * 2;
    }
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (oracle_overflows(o, line, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Lines that miss clearly more often than outliers explain. */
static size_t suspects(const struct oracle *o, const uint64_t *line, size_t n, uint32_t passes,
                       uint64_t *out)
{
    double noise = o->false_miss * passes;
    uint32_t floor = (uint32_t)(noise + 2.5 * (noise > 1 ? noise / 2 + 0.5 : 1)) + 1;
    if (n <= 100)
        floor = 1; /* pruning is cheap */
    size_t k = 0;
    for (size_t i = 0; i < n && k < MAX_SET_LINES; i++)
        if (o->count[i] >= floor)
            out[k++] = line[i];
    return k;
}

/* Leaves out what is not needed for the overflow; what remains is one set and one line too many. */
static void prune(struct oracle *o, struct full_set *set)
{
    uint64_t kept;
    for (size_t i = set->n; i-- > 0 && !o->exhausted;) {
        kept = set->line[i];
        memmove(set->line + i, set->line + i + 1, (set->n - i - 1) * sizeof kept);
        set->n--;
        if (oracle_overflows(o, set->line, set->n))
            continue;
        memmove(set->line + i + 1, set->line + i, (set->n - i) * sizeof kept);
        set->line[i] = kept;
        set->n++;
    }
}

/* How often each line of a full set misses tells whether less evidence is enough from now on. */
void measure_loudness(struct oracle *o, const struct full_set *set)
{
    enum { PASSES = 40 };
    uint64_t sum = 0;
    if (!oracle_count_misses(o, set->line, set->n, PASSES))
        return;
    for (size_t i = 0; i < set->n; i++)
        sum += o->count[i];
    o->loud = (double)sum > 0.3 * PASSES * (double)set->n;
}

bool find_members(struct oracle *o, const uint64_t *line, size_t n, struct full_set *out)
{
    for (uint32_t passes = n <= 100 ? 30 : 150; passes <= 1200; passes *= 2) {
        if (!oracle_count_misses(o, line, n, passes))
            return false;
        out->n = suspects(o, line, n, passes, out->line);
        if (out->n >= 2 && oracle_overflows(o, out->line, out->n)) {
            prune(o, out);
            measure_loudness(o, out);
            return out->n >= 2 && !o->exhausted;
        }
    }
    return false;
}

void find_full_set(struct oracle *o, uint64_t unit, uint32_t max_lines, struct full_set *out)
{
    /* Wide strides first: where address bits choose the set they need the fewest lines. */
    static const uint32_t shift[] = {14, 12, 10, 8, 6, 4, 2, 0};
    uint64_t *line = calloc(max_lines, sizeof *line), best_stride = 0;
    size_t best = max_lines;
    out->n = 0;
    if (!line)
        return;
    for (uint32_t i = 0; i < sizeof shift / sizeof shift[0]; i++) {
        uint64_t stride = unit << shift[i];
        size_t limit = best - 1 < o->prober->reach_bytes / stride
                           ? best - 1
                           : (size_t)(o->prober->reach_bytes / stride);
        if (limit < 2 ||
            (best_stride && !(spread(line, limit, stride), oracle_overflows(o, line, limit))))
            continue;
        size_t n = smallest_overflow(o, line, stride, limit);
        if (n > limit)
            continue;
        best = n;
        best_stride = stride;
    }
    /* The smallest overflow may be off by a little; a few lines more overflow for certain. */
    for (size_t n = best; best_stride && !out->n && n <= best + 64 && n <= max_lines &&
                          n * best_stride <= o->prober->reach_bytes;
         n += 16) {
        spread(line, n, best_stride);
        if (!find_members(o, line, n, out))
            out->n = 0;
    }
    free(line);
}

bool belongs(struct oracle *o, const struct full_set *set, uint64_t offset)
{
    uint64_t line[MAX_SET_LINES + 1];
    for (size_t i = 0; i < set->n; i++)
        if (set->line[i] == offset)
            return true;
    memcpy(line, set->line, set->n * sizeof *line);
    line[set->n - 1] = offset;
    return oracle_overflows(o, line, set->n);
}

/* Paper 004, section III-A, by way of a full set: a neighbour that takes the reference line's place
 * in the set without taking a way of its own shares its tag. */
uint32_t find_sectors_per_line(struct oracle *o, uint64_t unit, const struct full_set *set)
{
    uint32_t sectors = 1;
    uint64_t line[MAX_SET_LINES];
    for (; sectors < 32 && !o->exhausted; sectors *= 2) {
        uint64_t neighbour = set->line[0] ^ (unit * sectors);
        memcpy(line, set->line, set->n * sizeof *line);
        line[0] = neighbour;
        if (!oracle_overflows(o, line, set->n))
            break;
        line[0] = set->line[0];
        line[set->n - 1] = neighbour;
        if (oracle_overflows(o, line, set->n))
            break;
    }
    return sectors;
}
