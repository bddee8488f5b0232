/* older.c - the two methods paper 002 compares with, on mean latencies and with their assumptions:
 * sets alike, linear addressing, LRU. */
#include <math.h>
#include <string.h>

#include <strata/dissect.h>

struct column_of {
    const struct strata_series *s;
    int array, stride, latency;
};

static bool next_averages(const struct strata_probe_set *set, const char *path, size_t *i,
                          struct column_of *c)
{
    for (; *i < set->n_series; ++*i) {
        const struct strata_series *s = &set->series[*i];
        if (strcmp(s->experiment, "average") || strcmp(s->path, path))
            continue;
        *c = (struct column_of){s, strata_series_column(s, "array_bytes"),
                                strata_series_column(s, "stride_bytes"),
                                strata_series_column(s, "latency")};
        if (c->array >= 0 && c->stride >= 0 && c->latency >= 0) {
            ++*i;
            return true;
        }
    }
    return false;
}

/* The points of one array size (or of one stride), by the other. */
struct curve {
    double at[1024], latency[1024];
    size_t n;
};

static void add_point(struct curve *c, double at, double latency)
{
    size_t i = c->n;
    if (i == 1024)
        return;
    for (; i > 0 && c->at[i - 1] > at; i--) {
        c->at[i] = c->at[i - 1];
        c->latency[i] = c->latency[i - 1];
    }
    c->at[i] = at;
    c->latency[i] = latency;
    c->n++;
}

static void curve_of(const struct strata_probe_set *set, const char *path, bool by_stride,
                     double fixed, struct curve *out)
{
    struct column_of c;
    out->n = 0;
    for (size_t i = 0; next_averages(set, path, &i, &c);)
        for (size_t r = 0; r < c.s->n_rows; r++) {
            double array = strata_series_at(c.s, r, c.array),
                   stride = strata_series_at(c.s, r, c.stride);
            if ((by_stride ? array : stride) == fixed)
                add_point(out, by_stride ? stride : array, strata_series_at(c.s, r, c.latency));
        }
}

static double lowest(const struct curve *c)
{
    double low = c->n ? c->latency[0] : 0;
    for (size_t i = 1; i < c->n; i++)
        low = c->latency[i] < low ? c->latency[i] : low;
    return low;
}

static double highest(const struct curve *c)
{
    double high = 0;
    for (size_t i = 0; i < c->n; i++)
        high = c->latency[i] > high ? c->latency[i] : high;
    return high;
}

/* Array sizes that were swept over strides: the largest that always hits, and the largest at all.
 */
static void swept_sizes(const struct strata_probe_set *set, const char *path, double *fits,
                        double *large)
{
    struct column_of c;
    struct curve k;
    double low = INFINITY;
    *fits = *large = 0;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; next_averages(set, path, &i, &c);)
            for (size_t r = 0; r < c.s->n_rows; r++) {
                double array = strata_series_at(c.s, r, c.array);
                curve_of(set, path, true, array, &k);
                if (k.n < 6)
                    continue;
                low = lowest(&k) < low ? lowest(&k) : low;
                *large = array > *large ? array : *large;
                if (round && highest(&k) < 1.05 * low + 1 && array > *fits)
                    *fits = array;
            }
}

void strata_older_saavedra(const struct strata_probe_set *set, const char *path,
                           struct strata_older_answer *out)
{
    struct curve k;
    double size, array;
    memset(out, 0, sizeof *out);
    swept_sizes(set, path, &size, &array);
    curve_of(set, path, true, array, &k);
    if (!(size > 0) || array <= size || k.n < 6)
        return;
    double low = lowest(&k), high = highest(&k), line = 0, fall = 0;
    for (size_t i = 0; i < k.n; i++) {
        if (!(line > 0) && k.latency[i] > low + 0.95 * (high - low))
            line = k.at[i];
        if (line > 0 && !(fall > 0) && k.latency[i] < low + 0.5 * (high - low))
            fall = k.at[i];
    }
    if (!(line > 0) || !(fall > 0))
        return;
    out->known = true;
    out->size_bytes = (uint64_t)size;
    out->line_bytes = (uint32_t)line;
    out->ways = (uint32_t)(array / fall + 0.5);
    out->n_sets = (uint32_t)(size / (out->ways * line) + 0.5);
}

/* The stride with the most sizes. */
static double swept_stride(const struct strata_probe_set *set, const char *path)
{
    struct column_of c;
    struct curve k;
    double best = 0;
    size_t most = 0;
    for (size_t i = 0; next_averages(set, path, &i, &c);)
        if (c.s->n_rows) {
            double stride = strata_series_at(c.s, 0, c.stride);
            curve_of(set, path, false, stride, &k);
            if (k.n > most) {
                most = k.n;
                best = stride;
            }
        }
    return most >= 6 ? best : 0;
}

/* Plateaus: a new set begins to miss where the curve steps up by more than half of the largest
 * step. */
void strata_older_wong(const struct strata_probe_set *set, const char *path,
                       struct strata_older_answer *out)
{
    struct curve k;
    memset(out, 0, sizeof *out);
    double stride = swept_stride(set, path);
    curve_of(set, path, false, stride, &k);
    if (!(stride > 0) || k.n < 6)
        return;
    double step = 0, first = 0, last = 0, gap = 0;
    size_t steps = 0;
    for (size_t i = 1; i < k.n; i++)
        step = fmax(step, k.latency[i] - k.latency[i - 1]);
    for (size_t i = 1; i < k.n; i++) {
        if (!(k.latency[i] - k.latency[i - 1] > 0.5 * step))
            continue;
        if (steps >= 2 && fabs(k.at[i - 1] - last - gap) > 0.1 * gap)
            return; /* plateaus of unequal width are none */
        gap = steps ? k.at[i - 1] - last : 0;
        last = k.at[i - 1];
        first = steps++ ? first : last;
    }
    if (!(step > 0) || steps < 3)
        return;
    out->known = true;
    out->size_bytes = (uint64_t)first;
    out->n_sets = (uint32_t)steps;
    out->line_bytes = (uint32_t)((last - first) / (double)(steps - 1) + 0.5);
    out->ways = (uint32_t)(first / ((double)out->line_bytes * (double)steps) + 0.5);
}
