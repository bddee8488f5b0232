/* set_hash.c - from the three-stage benchmark of paper 000, figure 5, to the address bits of
 * figure 6. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "dissect/clusters.h"
#include "dissect/facts.h"

enum { MAX_HASH_LINES = 4096, MAX_PROBES = 4096 };

struct hash {
    uint64_t lines, line_bytes;
    uint32_t parent[MAX_HASH_LINES]; /* lines of stage 3 that missed together */
    uint64_t probe[MAX_PROBES];
    uint32_t victim[MAX_PROBES]; /* one line that missed after the probe */
    uint32_t n_probes;
};

static uint32_t root(struct hash *h, uint32_t line)
{
    while (h->parent[line] != line)
        line = h->parent[line] = h->parent[h->parent[line]];
    return line;
}

/* The smallest line leads a group: the sets' numbers are those of the first lines. */
static void join(struct hash *h, uint32_t a, uint32_t b)
{
    a = root(h, a);
    b = root(h, b);
    if (a < b)
        h->parent[b] = a;
    else
        h->parent[a] = b;
}

static void add_victim(struct hash *h, uint64_t probe, uint32_t line)
{
    for (uint32_t i = h->n_probes; i-- > 0;)
        if (h->probe[i] == probe) {
            join(h, h->victim[i], line);
            return;
        }
    if (h->n_probes < MAX_PROBES) {
        h->probe[h->n_probes] = probe;
        h->victim[h->n_probes++] = line;
    }
}

static bool read_probes(const struct strata_series *s, struct hash *h)
{
    int probe = strata_series_column(s, "probe"), index = strata_series_column(s, "index"),
        latency = strata_series_column(s, "latency");
    struct clusters k;
    h->lines = (uint64_t)(strata_series_parameter(s, "array_bytes", 0) /
                          strata_series_parameter(s, "line_bytes", 128));
    h->line_bytes = (uint64_t)strata_series_parameter(s, "line_bytes", 128);
    if (probe < 0 || index < 0 || latency < 0 || !h->lines || h->lines > MAX_HASH_LINES ||
        !clusters_of_latencies(&s, 1, &k) || k.n < 2)
        return false;
    double threshold = (k.high[0] + k.low[1]) / 2;
    for (uint32_t i = 0; i < h->lines; i++)
        h->parent[i] = i;
    for (size_t r = 0; r < s->n_rows; r++) {
        uint64_t p = (uint64_t)strata_series_at(s, r, probe),
                 line = (uint64_t)strata_series_at(s, r, index);
        if (strata_series_at(s, r, latency) <= threshold || line >= h->lines)
            continue;
        add_victim(h, p, (uint32_t)line);
    }
    return h->n_probes > 0;
}

/* The number of the set of a line: a probe's is that of its victims. */
static bool set_of(struct hash *h, uint64_t line, uint32_t *set)
{
    if (line < h->lines) {
        *set = root(h, (uint32_t)line);
        return true;
    }
    for (uint32_t i = 0; i < h->n_probes; i++)
        if (h->probe[i] == line) {
            *set = root(h, h->victim[i]);
            return true;
        }
    return false;
}

static uint32_t count_sets(struct hash *h)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < h->lines; i++)
        n += root(h, i) == i;
    return n;
}

/* What each address bit adds to the number of the set, and whether sums of bits behave so. */
static uint32_t check_sums(struct hash *h, const uint32_t *adds, uint32_t bits, uint32_t *right)
{
    uint32_t n = 0, set;
    *right = 0;
    for (uint64_t line = 0; line < h->lines + h->n_probes; line++) {
        uint64_t at = line < h->lines ? line : h->probe[line - h->lines];
        uint32_t sum = 0;
        if (at >> bits || !set_of(h, at, &set))
            continue;
        for (uint32_t b = 0; b < bits; b++)
            sum ^= at >> b & 1 ? adds[b] : 0;
        *right += sum == set;
        n++;
    }
    return n;
}

static void tell(struct hash *h, const uint32_t *adds, uint32_t bits, uint32_t sets, double share,
                 const char *series, struct fact_sink *f)
{
    char text[160] = "";
    uint32_t shift = log2_floor(h->line_bytes);
    for (uint32_t j = 0; j < log2_floor(sets); j++) {
        bool first = true;
        for (uint32_t b = 0; b < bits && strlen(text) + 8 < sizeof text; b++)
            if (adds[b] >> j & 1) {
                snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u",
                         first ? (j ? ", " : "") : "^", b + shift);
                first = false;
            }
    }
    struct strata_finding x =
        finding_of(share, "which lines one more line throws out (%s)", series);
    fact_add(f, "l1.set_hash", "", &x, "%s", text);
    fact_add(f, "l1.set_hash_sets", "", &x, "%u", sets);
}

void infer_set_hash(const struct strata_probe_set *set, struct fact_sink *f)
{
    const struct strata_series *s = NULL;
    for (size_t i = 0; i < set->n_series && !s; i++)
        if (!strcmp(set->series[i].experiment, "sets"))
            s = &set->series[i];
    struct hash *h = s ? calloc(1, sizeof *h) : NULL;
    if (!h)
        return;
    uint32_t adds[40] = {0}, bits = 0, right = 0, sets = 0, n = 0;
    if (read_probes(s, h)) {
        sets = count_sets(h);
        while (bits < 40 && set_of(h, 1ull << bits, &adds[bits]))
            bits++;
        n = check_sums(h, adds, bits, &right);
    }
    if (sets > 1 && is_power_of_two(sets) && n && right * 20 >= n * 19)
        tell(h, adds, bits, sets, (double)right / n, s->name, f);
    else
        fact_open(f, "l1.set_hash", "",
                  "the sets of lines are not sums of what their address bits add");
    free(h);
}
