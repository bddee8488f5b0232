/* limits.c - what the series that are no chases tell: MSHRs, coalescer, write misses, spectrum,
 * shared memory, throughputs, size of a large cache. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dissect/clusters.h"
#include "dissect/facts.h"

static const struct strata_series *first_of(const struct strata_probe_set *set,
                                            const char *experiment)
{
    for (size_t i = 0; i < set->n_series; i++)
        if (!strcmp(set->series[i].experiment, experiment) && set->series[i].n_rows)
            return &set->series[i];
    return NULL;
}

/* Median of `value` over the rows where `key` equals `wanted`; NAN if there is none. */
static double median_where(const struct strata_series *s, const char *key, double wanted,
                           const char *value)
{
    int k = strata_series_column(s, key), v = strata_series_column(s, value);
    double *x = malloc((s->n_rows + 1) * sizeof *x), m = NAN;
    size_t n = 0;
    for (size_t r = 0; x && k >= 0 && v >= 0 && r < s->n_rows; r++)
        if (strata_series_at(s, r, k) == wanted)
            x[n++] = strata_series_at(s, r, v);
    if (n)
        m = median_of(x, n);
    free(x);
    return m;
}

/* ---- MSHRs (paper 000, section 5.2) ---- */

struct wave {
    double warps, loads;
    bool one; /* all loads were in flight together */
};

static size_t read_waves(const struct strata_series *s, struct wave *out, size_t cap)
{
    int w = strata_series_column(s, "warps"), l = strata_series_column(s, "loads"),
        c = strata_series_column(s, "cycles");
    double alone = INFINITY;
    size_t n = 0;
    if (w < 0 || l < 0 || c < 0)
        return 0;
    for (size_t r = 0; r < s->n_rows; r++)
        if (strata_series_at(s, r, w) == 1 && strata_series_at(s, r, l) == 1 &&
            strata_series_at(s, r, c) < alone)
            alone = strata_series_at(s, r, c);
    for (size_t r = 0; r < s->n_rows && n < cap && isfinite(alone); r++, n++) {
        out[n].warps = strata_series_at(s, r, w);
        out[n].loads = strata_series_at(s, r, l);
        out[n].one = strata_series_at(s, r, c) < 1.5 * alone + out[n].warps * out[n].loads;
    }
    return n;
}

static size_t explained(const struct wave *wave, size_t n, uint32_t per_warp, uint32_t per_sm)
{
    size_t right = 0;
    for (size_t i = 0; i < n; i++)
        right +=
            wave[i].one == (wave[i].loads <= per_warp && wave[i].loads * wave[i].warps <= per_sm);
    return right;
}

/* The limits that explain most of the table, the loosest of equals; a limit no row exceeds is none,
 * and where several explain it alike the smallest of them is not the answer either. */
static void fit_mshrs(const struct wave *wave, size_t n, struct fact_sink *f, const char *series)
{
    double most_loads = 0, most = 0;
    size_t best = 0;
    uint32_t per_warp = 0, low = 0, high = 0;
    for (size_t i = 0; i < n; i++) {
        most_loads = fmax(most_loads, wave[i].loads);
        most = fmax(most, wave[i].loads * wave[i].warps);
    }
    for (uint32_t a = 1; a <= most_loads + 1; a++)
        for (uint32_t b = a; b <= most + 1; b++) {
            size_t right = explained(wave, n, a, b);
            if (right > best || (right == best && a > per_warp)) {
                best = right;
                per_warp = a;
                low = high = b;
            } else if (right == best) {
                high = b;
            }
        }
    double share = n ? (double)best / (double)n : 0;
    struct strata_finding x = finding_of(share, "%zu of %zu rows explained (%s)", best, n, series);
    if (share < 0.95) {
        fact_open(f, "l1.mshrs_per_warp", "", "no pair of limits explains the table");
        fact_open(f, "l1.mshrs", "", "no pair of limits explains the table");
        return;
    }
    if (per_warp < most_loads)
        fact_add(f, "l1.mshrs_per_warp", "", &x, "%u", per_warp);
    else
        fact_open(f, "l1.mshrs_per_warp", "", "no limit up to the most loads tried");
    if (high < most && low == high)
        fact_add(f, "l1.mshrs", "", &x, "%u", low);
    else
        fact_open(f, "l1.mshrs", "",
                  high < most ? "several limits explain the table alike"
                              : "no limit up to the most loads tried");
}

void infer_mshrs(const struct strata_probe_set *set, struct fact_sink *f)
{
    const struct strata_series *all = first_of(set, "mshr"), *one = first_of(set, "mshr-warp");
    struct wave *wave = calloc(4096, sizeof *wave);
    size_t n = 0;
    if (wave && all)
        n += read_waves(all, wave, 2048);
    if (wave && one)
        n += read_waves(one, wave + n, 2048);
    if (n)
        fit_mshrs(wave, n, f, all ? all->name : one->name);
    free(wave);
}

/* ---- coalescer (paper 004, section III-A) ---- */

/* Which sectors of its line a single word brought (columns stride,line,sector,latency, at stride
 * 1). */
static void fetched_sectors(const struct strata_series *s, struct fact_sink *f)
{
    int stride = strata_series_column(s, "stride"), sector = strata_series_column(s, "sector"),
        latency = strata_series_column(s, "latency");
    struct clusters k;
    double there = 0, first = 0;
    if (stride < 0 || sector < 0 || latency < 0 || !clusters_of_latencies(&s, 1, &k) || k.n < 2)
        return;
    for (size_t r = 0; r < s->n_rows; r++) {
        if (strata_series_at(s, r, stride) != 1)
            continue;
        there += strata_series_at(s, r, latency) < (k.high[0] + k.low[1]) / 2;
        first += strata_series_at(s, r, sector) == 0;
    }
    struct strata_finding x = finding_of(
        0.99, "sectors of a line that are there after one word of it was read (%s)", s->name);
    double per_line = first > 0 ? there / first : 0;
    if (per_line > 0.9 && fabs(per_line - floor(per_line + 0.5)) < 0.1)
        fact_add(f, "coalesce.granularity", "bytes", &x, "%.0f", 32 * floor(per_line + 0.5));
}

void infer_coalescer(const struct strata_probe_set *set, struct fact_sink *f)
{
    const struct strata_series *s = first_of(set, "coalesce-sectors");
    if (s)
        fetched_sectors(s, f);
    s = first_of(set, "coalesce");
    if (!s)
        return;
    double whole = median_where(s, "stride", 32, "accesses"),
           word = median_where(s, "stride", 0, "accesses");
    struct strata_finding x = finding_of(
        0.99, "accesses of a warp that reads 128 bytes in a row, and one word (%s)", s->name);
    if (!(whole >= 1)) {
        fact_open(f, "coalesce.granularity", "bytes",
                  "no row with stride 32 and a count of accesses");
        return;
    }
    fact_add(f, "coalesce.granularity", "bytes", &x, "%.0f", 128 / whole);
    if (!(word >= 1))
        return;
    fact_add(f, "coalesce.group", "lanes", &x, "%.0f", 32 / word);
    if (whole < 1.5)
        fact_open(f, "coalesce.rule", "",
                  "whole lines are fetched; loads of 8 and 16 bytes were not tried");
    else
        fact_add(f, "coalesce.rule", "", &x, "%s", word > 1.5 ? "octet" : "sector");
}

/* ---- write misses of the L2 (paper 004, section III-B) ---- */

void infer_l2_write(const struct strata_probe_set *set, struct fact_sink *f)
{
    const struct strata_series *s = first_of(set, "l2-write");
    double at[6];
    if (!s)
        return;
    for (int i = 0; i < 6; i++)
        at[i] = median_where(s, "case", i, "latency");
    if (!(at[0] > 1.1 * at[1]) || !isfinite(at[2] + at[3] + at[4])) {
        fact_open(f, "l2.write_miss", "", "reads from DRAM and hits in the L2 do not differ");
        return;
    }
    double middle = (at[0] + at[1]) / 2;
    bool same = at[2] < middle, other = at[3] < middle, full = at[4] < middle;
    struct strata_finding x = finding_of(0.99,
                                         "reads after writes: same word %.0f, other word %.0f, "
                                         "whole sector %.0f; L2 %.0f, DRAM %.0f (%s)",
                                         at[2], at[3], at[4], at[1], at[0], s->name);
    if (same && other && full)
        fact_add(f, "l2.write_miss", "", &x, "fetch-on-write");
    else if (same && !other && full)
        fact_add(f, "l2.write_miss", "", &x, "write-validate");
    else if (!same && !other && full) {
        /* 32 bytes written whole are valid by themselves, less is not: that is the sector. */
        fact_add(f, "l2.write_miss", "", &x, "lazy-fetch-on-read");
        fact_add(f, "l2.sector", "bytes", &x, "32");
    } else
        fact_open(f, "l2.write_miss", "", "the reads after writes fit none of the three policies");
}

/* ---- latency spectrum (paper 002, section 5.2) ---- */

static void spectrum_facts(const struct strata_series *s, struct fact_sink *f)
{
    double p[7];
    char name[64];
    for (int i = 1; i <= 6; i++) {
        p[i] = median_where(s, "pattern", i, "latency");
        struct strata_finding x =
            finding_of(0.95, "median of the steps built as P%d (%s)", i, s->name);
        snprintf(name, sizeof name, "latency.%s.P%d", s->path, i);
        if (isfinite(p[i]))
            fact_add(f, name, "cycles", &x, "%.0f", p[i]);
        else
            fact_open(f, name, "cycles", "no step of this kind");
    }
    struct strata_finding x = finding_of(0.9, "differences of the spectrum (%s)", s->name);
    snprintf(name, sizeof name, "%s.hit", s->path);
    if (isfinite(p[1]))
        fact_add(f, name, "cycles", &x, "%.0f", p[1]);
    if (!strcmp(s->path, "l2") && p[4] > p[1])
        fact_add(f, "dram.access", "cycles", &x, "%.0f", p[4] - p[1]);
    /* Through the L1 first, where the whole penalty shows if the TLBs stand before it. */
    if (p[2] > 1.03 * p[1])
        fact_add(f, "tlb.l1_miss", "cycles", &x, "%.0f", p[2] - p[1]);
    if (p[2] > 1.03 * p[1] && p[3] > p[2])
        fact_add(f, "tlb.l2_miss", "cycles", &x, "%.0f", p[3] - p[2]);
}

void infer_spectrum(const struct strata_probe_set *set, struct fact_sink *f)
{
    for (size_t i = 0; i < set->n_series; i++)
        if (!strcmp(set->series[i].experiment, "spectrum") && set->series[i].n_rows)
            spectrum_facts(&set->series[i], f);
}

/* ---- shared memory (paper 002, section 6.2) ---- */

static uint32_t gcd32(uint32_t stride)
{
    uint32_t g = 1;
    while (g < 32 && stride % (2 * g) == 0)
        g *= 2;
    return g;
}

/* The least of several: whatever disturbs a load makes it longer. */
static double least_where(const struct strata_series *s, const char *key, double wanted,
                          const char *value)
{
    int k = strata_series_column(s, key), v = strata_series_column(s, value);
    double least = INFINITY;
    for (size_t r = 0; k >= 0 && v >= 0 && r < s->n_rows; r++)
        if (strata_series_at(s, r, k) == wanted)
            least = fmin(least, strata_series_at(s, r, v));
    return least;
}

/* Least squares of latency = base + slope (degree - 1), degree = max(1, gcd / divide), over strides
 * that are powers of two (others can conflict in Kepler's wide banks where these do not: paper 002,
 * figure 18); the residual's share. */
static double fit_degree(const struct strata_series *s, uint32_t divide, double *base,
                         double *slope)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
    for (uint32_t stride = 1; stride <= 32; stride *= 2) {
        double y = least_where(s, "stride", stride, "latency"), x = gcd32(stride) / divide;
        if (!isfinite(y))
            continue;
        x = x < 1 ? 0 : x - 1;
        n++;
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
        syy += y * y;
    }
    double d = n * sxx - sx * sx, total = syy - sy * sy / n;
    if (n < 4 || !(d > 0) || !(total > 0))
        return INFINITY;
    *slope = (n * sxy - sx * sy) / d;
    *base = (sy - *slope * sx) / n;
    return (syy - *base * sy - *slope * sxy) / total;
}

static void conflict_facts(const struct strata_series *s, struct fact_sink *f)
{
    char name[64];
    double base = NAN, slope = NAN, base_half, slope_half,
           bank = strata_series_parameter(s, "bank_bytes", 4);
    double full = fit_degree(s, 1, &base, &slope), half = fit_degree(s, 2, &base_half, &slope_half);
    double calm = median_where(s, "stride", 1, "latency");
    struct strata_finding x = finding_of(0.95, "latency against stride (%s)", s->name);
    if (isfinite(calm))
        fact_add(f, "shared.latency", "cycles", &x, "%.0f", calm);
    snprintf(name, sizeof name, "shared.conflict_rule_%.0f", bank);
    if (!isfinite(full) || fmin(full, half) > 0.05) {
        fact_open(f, name, "", "latencies do not follow gcd(stride, 32) or half of it");
        return;
    }
    bool is_half = half < full;
    fact_add(f, name, "", &x, "%s", is_half ? "gcd(stride, 32) / 2" : "gcd(stride, 32)");
    snprintf(name, sizeof name, "shared.conflict_cycles_%.0f", bank);
    fact_add(f, name, "cycles", &x, "%.2f", is_half ? slope_half : slope);
}

void infer_shared(const struct strata_probe_set *set, struct fact_sink *f)
{
    for (size_t i = 0; i < set->n_series; i++)
        if (!strcmp(set->series[i].experiment, "shared-conflict") && set->series[i].n_rows)
            conflict_facts(&set->series[i], f);
}

/* ---- throughputs ---- */

static bool peak_row(const struct strata_series *s, const char *column, size_t *row, double *peak)
{
    int c = strata_series_column(s, column);
    *peak = 0;
    for (size_t r = 0; c >= 0 && r < s->n_rows; r++)
        if (strata_series_at(s, r, c) > *peak) {
            *peak = strata_series_at(s, r, c);
            *row = r;
        }
    return *peak > 0;
}

static double cell(const struct strata_series *s, size_t row, const char *column)
{
    int c = strata_series_column(s, column);
    return c < 0 ? 0 : strata_series_at(s, row, c);
}

void infer_throughput(const struct strata_probe_set *set, struct fact_sink *f)
{
    size_t row;
    double peak;
    const struct strata_series *s = first_of(set, "shared-throughput");
    if (s && peak_row(s, "bytes_per_cycle", &row, &peak)) {
        double warps = strata_series_column(s, "warps") >= 0
                           ? cell(s, row, "warps")
                           : cell(s, row, "blocks") * cell(s, row, "threads") / 32;
        struct strata_finding x =
            finding_of(0.9, "the most of all rows, with %.0f warps and ILP %.0f (%s)", warps,
                       cell(s, row, "ilp"), s->name);
        fact_add(f, "shared.peak", "bytes/cycle", &x, "%.1f", peak);
    }
    s = first_of(set, "copy-throughput");
    if (s && peak_row(s, "bytes_per_cycle", &row, &peak)) {
        struct strata_finding x = finding_of(
            0.9, "the most of all rows, with %.0f blocks of %.0f threads and ILP %.0f (%s)",
            cell(s, row, "blocks"), cell(s, row, "threads"), cell(s, row, "ilp"), s->name);
        fact_add(f, "copy.peak", "bytes/cycle", &x, "%.1f", peak);
        if (set->clock_mhz > 0)
            fact_add(f, "copy.peak_rate", "GB/s", &x, "%.1f", peak * set->clock_mhz / 1000);
    }
    for (size_t i = 0; i < set->n_series; i++) {
        char name[64];
        s = &set->series[i];
        if (strcmp(s->experiment, "load-throughput") ||
            !peak_row(s, "bytes_per_cycle", &row, &peak))
            continue;
        struct strata_finding x = finding_of(0.9, "the most of all rows, at %.0f bytes (%s)",
                                             cell(s, row, "array_bytes"), s->name);
        snprintf(name, sizeof name, "load.%s.peak", s->path);
        fact_add(f, name, "bytes/cycle", &x, "%.1f", peak);
    }
}

/* ---- size of a cache whose sets stay hidden ---- */

/* Rows that walk over an array: many steps at one stride. */
static bool is_sweep(const struct strata_series *s)
{
    int array = strata_series_column(s, "array_bytes"),
        stride = strata_series_column(s, "stride_bytes");
    size_t n = 0;
    for (size_t r = 0; array >= 0 && stride >= 0 && r < s->n_rows; r++)
        n += strata_series_at(s, r, array) >= 64 * strata_series_at(s, r, stride) &&
             strata_series_at(s, r, stride) == strata_series_at(s, 0, stride);
    return n >= 5 && n == s->n_rows;
}

static const struct strata_series *widest_l2_average(const struct strata_probe_set *set)
{
    const struct strata_series *best = NULL;
    double widest = 0, peak;
    for (size_t i = 0; i < set->n_series; i++) {
        const struct strata_series *s = &set->series[i];
        size_t row;
        if (strcmp(s->experiment, "average") || strcmp(s->path, "l2") || !is_sweep(s) ||
            !peak_row(s, "array_bytes", &row, &peak) || peak <= widest)
            continue;
        widest = peak;
        best = s;
    }
    return best;
}

/* Random replacement under a cyclic walk over N bytes: a line survives a round with probability
 * exp(-m N / C) if a share m of the visits misses, so m = 1 - exp(-m N / C) and C = -m N / ln(1 -
 * m). LRU jumps from no misses to all of them instead: then the jump is the size. */
void infer_l2_size(const struct strata_probe_set *set, struct fact_sink *f)
{
    double estimate[256], low = INFINITY, high = 0, fits = 0, full = 0;
    size_t n = 0;
    const struct strata_series *s = widest_l2_average(set);
    int array = s ? strata_series_column(s, "array_bytes") : -1,
        latency = s ? strata_series_column(s, "latency") : -1;
    if (array < 0 || latency < 0)
        return;
    for (size_t r = 0; r < s->n_rows; r++) {
        low = fmin(low, strata_series_at(s, r, latency));
        high = fmax(high, strata_series_at(s, r, latency));
    }
    double dram = high;
    const struct strata_fact *access = strata_dissection_find(f->d, "dram.access");
    if (access && access->finding.known && atof(access->value) > 0)
        dram = low + atof(access->value);
    for (size_t r = 0; r < s->n_rows; r++) {
        double at = strata_series_at(s, r, array),
               m = (strata_series_at(s, r, latency) - low) / (dram - low);
        if (m < 0.03 && at > fits)
            fits = at;
        if (m > 0.97 && (!(full > 0) || at < full))
            full = at;
        if (m > 0.25 && m < 0.9 && n < 256)
            estimate[n++] = -m * at / log(1 - m);
    }
    if (n >= 3) {
        double middle = median_of(estimate, n), spread = (estimate[n - 1] - estimate[0]) / middle;
        struct strata_finding x = finding_of(
            spread < 0.1 ? 0.9 : 0.7, "%zu points of the rise, within %.0f %% of each other (%s)",
            n, 100 * spread, s->name);
        if (spread < 0.16) {
            fact_add(f, "l2.size_about", "bytes", &x, "%.0f", middle);
            return;
        }
    }
    if (fits > 0 && full > fits && full < 1.3 * fits) {
        struct strata_finding x = finding_of(
            0.8, "between the last size without misses and the first with nothing else (%s)",
            s->name);
        fact_add(f, "l2.size_about", "bytes", &x, "%.0f", sqrt(fits * full));
        return;
    }
    if (fits > 0) {
        struct strata_finding x = finding_of(0.8, "the largest array without misses (%s)", s->name);
        fact_add(f, "l2.resident", "bytes", &x, "%.0f", fits);
    }
    fact_open(f, "l2.size_about", "bytes",
              "the rise of the latency with the size fits neither random replacement nor LRU");
}

/* ---- reach of TLBs from mean latencies ---- */

struct rise {
    double reach, before, after;
};

static double middle_of_three(const double *y)
{
    double a = fmin(y[0], y[1]), b = fmax(y[0], y[1]);
    return fmax(a, fmin(b, y[2]));
}

/* The next point from which on a curve stays higher than before by 2.5 % and 5 cycles. */
static bool find_rise(const double *x, const double *y, size_t n, size_t from, struct rise *out,
                      size_t *at)
{
    for (size_t i = from + 3; i + 3 <= n; i++) {
        double before = middle_of_three(y + i - 3), after = middle_of_three(y + i),
               least = INFINITY;
        if (after < 1.025 * before || after < before + 5)
            continue;
        for (size_t k = i; k < n; k++)
            least = fmin(least, y[k]);
        if (least < before + 0.5 * (after - before) && least < before + 5)
            continue;
        *out = (struct rise){x[i - 1], before, y[n - 1]};
        *at = i;
        return true;
    }
    return false;
}

static int by_first(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

static void reach_of(const struct strata_series *s, struct fact_sink *f)
{
    int array = strata_series_column(s, "array_bytes"),
        latency = strata_series_column(s, "latency");
    double(*point)[2] = malloc((s->n_rows + 1) * sizeof *point),
    *x = malloc((s->n_rows + 1) * 2 * sizeof *x), *y = x ? x + s->n_rows + 1 : NULL;
    struct rise rise;
    size_t at = 0;
    if (point && x && array >= 0 && latency >= 0) {
        for (size_t r = 0; r < s->n_rows; r++) {
            point[r][0] = strata_series_at(s, r, array);
            point[r][1] = strata_series_at(s, r, latency);
        }
        qsort(point, s->n_rows, sizeof *point, by_first);
        for (size_t r = 0; r < s->n_rows; r++) {
            x[r] = point[r][0];
            y[r] = point[r][1];
        }
        for (uint32_t level = 1; level <= 2 && find_rise(x, y, s->n_rows, at, &rise, &at);
             level++) {
            char name[64];
            struct strata_finding found =
                finding_of(0.9, "mean latency rises from %.0f cycles behind this array (%s)",
                           rise.before, s->name);
            snprintf(name, sizeof name, "tlb.reach_%u_stride_%.0fM", level,
                     strata_series_at(s, 0, strata_series_column(s, "stride_bytes")) / (1 << 20));
            fact_add(f, name, "bytes", &found, "%.0f", rise.reach);
            at += 3;
        }
    }
    free(point);
    free(x);
}

void infer_reach(const struct strata_probe_set *set, struct fact_sink *f)
{
    for (size_t i = 0; i < set->n_series; i++)
        if (!strcmp(set->series[i].experiment, "average") && !strcmp(set->series[i].path, "tlb") &&
            set->series[i].n_rows >= 8 &&
            strata_series_column(&set->series[i], "stride_bytes") >= 0)
            reach_of(&set->series[i], f);
}
