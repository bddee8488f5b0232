/* features.c - profiles of intervals, and the vectors learners read. */
#include "learn/features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "learn/learner.h"

/* ---- buckets and sizes ---- */

uint32_t learn_bucket_of(uint32_t d)
{
    if (d < 8)
        return d;
    uint32_t e = log2_floor(d);
    return e >= 15 ? STRATA_LEARN_BUCKETS - 1 : 8 + (e - 3) * 4 + (d >> (e - 2) & 3);
}

uint32_t learn_bucket_from(uint32_t b)
{
    if (b < 8)
        return b;
    if (b >= STRATA_LEARN_BUCKETS)
        return UINT32_MAX;
    uint32_t e = (b - 8) / 4 + 3;
    return (4 + (b - 8) % 4) << (e - 2);
}

uint32_t learn_size_lines(uint32_t k)
{
    return (uint32_t)lround(exp2(k / 4.0));
}

/* ---- distances ---- */

/* A bit for each access says whether it is still the last one to its line; counts of 64 of them are
 * kept in a tree of partial sums. The bits after an access are the lines used since. */
struct recency {
    uint64_t *bits;
    uint32_t *sum;
    size_t n_words;
    uint32_t live;
};

static bool recency_init(struct recency *r, size_t n)
{
    r->n_words = n / 64 + 1;
    r->bits = calloc(r->n_words, sizeof *r->bits);
    r->sum = calloc(r->n_words + 1, sizeof *r->sum);
    return r->bits && r->sum;
}

static void recency_flip(struct recency *r, size_t at, uint32_t change)
{
    r->bits[at / 64] ^= (uint64_t)1 << at % 64;
    for (size_t i = at / 64 + 1; i <= r->n_words; i += i & -i)
        r->sum[i] += change;
}

/* Lines whose last use comes after access `at`. */
static uint32_t recency_after(const struct recency *r, size_t at)
{
    uint32_t before = (uint32_t)__builtin_popcountll(r->bits[at / 64] & (~(uint64_t)0 >> (63 - at % 64)));
    for (size_t i = at / 64; i; i -= i & -i)
        before += r->sum[i];
    return r->live - before;
}

/* ---- extraction ---- */

enum { LONG_AGO = 1 << 30, COLD = UINT32_MAX };

struct line_state {
    uint32_t used;                        /* time of its last use + LONG_AGO; 0: never */
    uint32_t missed[STRATA_LEARN_SIZES];  /* time of its last miss + LONG_AGO, by size */
};

struct extraction {
    const struct learn_stream *s;
    struct recency recency;
    struct line_state *line;
    uint32_t size[STRATA_LEARN_SIZES];
    uint32_t latency; /* at least 1 */
    bool takes_time;  /* unless data comes at once */
    /* lines on their way now, by size, and which of the last `latency` accesses sent for one */
    uint32_t coming[STRATA_LEARN_SIZES];
    uint8_t (*ring)[STRATA_LEARN_SIZES];
};

struct tally {
    uint64_t cold, bucket[STRATA_LEARN_BUCKETS];
    uint32_t miss[STRATA_LEARN_SIZES], merge[STRATA_LEARN_SIZES];
    uint32_t max_distance;
};

/* How far a line has sunk since it came into a cache or was used there: `lines` others were used since.
 * Of those, the ones on their way are not in the cache yet; in return `earlier` in 256 of the places
 * before were lines not used since, which arrived later. */
struct depth {
    uint32_t lines, missing; /* missing: 256 - earlier */
};

/* The access at `now` for caches of all sizes at once. A line is on its way for `latency` cycles after
 * its last miss. If its last use was that miss, or merged with it, it came into the cache when it
 * arrived, else it moved to the top when it was used. */
static void tally_sizes(struct extraction *x, struct tally *t, struct line_state *l, struct depth used, struct depth arrived, uint32_t now)
{
    uint8_t *slot = x->ring[now % x->latency];
    for (uint32_t k = 0; k < STRATA_LEARN_SIZES; k++)
        x->coming[k] -= slot[k];
    for (uint32_t k = 0; k < STRATA_LEARN_SIZES; k++) {
        uint32_t coming = now - l->missed[k] < x->latency, was_coming = l->used - l->missed[k] < x->latency;
        uint32_t lines = was_coming ? arrived.lines : used.lines, missing = was_coming ? arrived.missing : used.missing;
        uint32_t miss = !coming & (lines >= x->size[k] + (x->coming[k] * missing >> 8));
        t->merge[k] += coming;
        t->miss[k] += miss;
        l->missed[k] = miss ? now : l->missed[k];
        slot[k] = (uint8_t)miss;
        x->coming[k] += miss;
    }
}

/* `before` lines were last used in the `latency` cycles before, and `cycles` have passed since. */
static struct depth depth_of(const struct extraction *x, uint32_t lines, uint32_t before, size_t cycles)
{
    uint32_t share = before * 256 / x->latency, missing = share < 256 && x->takes_time ? 256 - share : 0;
    return (struct depth){.lines = lines, .missing = cycles < x->latency ? missing * (uint32_t)cycles / x->latency : missing};
}

static void tally_access(struct extraction *x, struct tally *t, size_t i)
{
    struct line_state *l = &x->line[x->s->id[i]];
    uint32_t now = (uint32_t)i + LONG_AGO;
    struct depth used = {.lines = COLD}, arrived = {.lines = COLD};
    if (!l->used) {
        x->recency.live++;
        t->cold++;
    } else {
        size_t last = l->used - LONG_AGO;
        uint32_t distance = recency_after(&x->recency, last);
        uint32_t late = i - last >= x->latency ? recency_after(&x->recency, last + x->latency - 1) : 0;
        uint32_t earlier = last > x->latency ? recency_after(&x->recency, last - x->latency) : x->recency.live;
        used = depth_of(x, distance, earlier - distance, i - last);
        arrived = depth_of(x, late, distance - late, i - last > x->latency ? i - last - x->latency : 0);
        recency_flip(&x->recency, last, -1u);
        t->bucket[learn_bucket_of(distance)]++;
        t->max_distance = distance > t->max_distance ? distance : t->max_distance;
    }
    recency_flip(&x->recency, i, 1);
    tally_sizes(x, t, l, used, arrived, now);
    l->used = now;
}

/* N: buckets that hold at least 1 % of the accesses and stand out from both neighbours. */
static uint32_t count_peaks(const float *share)
{
    uint32_t n = 0;
    for (uint32_t b = 0; b < STRATA_LEARN_BUCKETS; b++) {
        float before = b ? share[b - 1] : 0, after = b + 1 < STRATA_LEARN_BUCKETS ? share[b + 1] : 0;
        n += share[b] >= 0.01f && share[b] > before && share[b] >= after;
    }
    return n;
}

static void finish(const struct tally *t, uint64_t accesses, struct strata_learn_interval *out)
{
    double n = accesses ? (double)accesses : 1;
    memset(out, 0, sizeof *out);
    out->accesses = (uint32_t)accesses;
    out->cold = (float)((double)t->cold / n);
    out->max_distance = t->max_distance;
    for (uint32_t b = 0; b < STRATA_LEARN_BUCKETS; b++)
        out->share[b] = (float)((double)t->bucket[b] / n);
    for (uint32_t k = 0; k < STRATA_LEARN_SIZES; k++) {
        out->miss[k] = (float)(t->miss[k] / n);
        out->merge[k] = (float)(t->merge[k] / n);
    }
    out->peaks = count_peaks(out->share);
}

static void extract(struct extraction *x, const struct learn_span *span, size_t n_spans, struct strata_learn_interval *out)
{
    struct tally t = {0};
    size_t which = 0, end = n_spans ? span[n_spans - 1].to : 0;
    for (size_t i = 0; i < end; i++) {
        if (i == span[which].from)
            memset(&t, 0, sizeof t);
        tally_access(x, &t, i);
        if (i + 1 == span[which].to)
            finish(&t, span[which].to - span[which].from, &out[which]), which++;
    }
}

strata_status learn_profile(const struct learn_stream *s, const struct learn_span *span, size_t n_spans,
                            uint32_t latency_cycles, struct strata_learn_interval *out, struct strata_error *err)
{
    struct extraction x = {.s = s, .latency = latency_cycles};
    strata_status st = STRATA_OK;
    for (uint32_t k = 0; k < STRATA_LEARN_SIZES; k++)
        x.size[k] = learn_size_lines(k);
    if (s->n >= LONG_AGO)
        return strata_fail(err, STRATA_ELIMIT, NULL, 0, 0, "A stream of %zu accesses is too long to be profiled; take fewer SMs.", s->n);
    x.line = calloc(s->n_lines ? s->n_lines : 1, sizeof *x.line);
    x.ring = calloc(latency_cycles ? latency_cycles : 1, sizeof *x.ring);
    x.latency = latency_cycles ? latency_cycles : 1;
    x.takes_time = latency_cycles > 0;
    if (recency_init(&x.recency, s->n) && x.line && x.ring)
        extract(&x, span, n_spans, out);
    else
        st = strata_fail(err, STRATA_ENOMEM, NULL, 0, 0, "There is no memory left for the profile of %u lines.", s->n_lines);
    free(x.recency.bits);
    free(x.recency.sum);
    free(x.line);
    free(x.ring);
    return st;
}

/* ---- geometry ---- */

/* A value between two points of a curve is shared out between them. */
static void add_weight(float weight[STRATA_LEARN_SIZES], double quarter_octaves, double share)
{
    double at = quarter_octaves < 0 ? 0 : quarter_octaves > STRATA_LEARN_SIZES - 1 ? STRATA_LEARN_SIZES - 1 : quarter_octaves;
    uint32_t k = (uint32_t)at;
    weight[k] += (float)(share * (1 - (at - k)));
    if (k + 1 < STRATA_LEARN_SIZES)
        weight[k + 1] += (float)(share * (at - k));
}

void learn_geometry_init(struct learn_geometry *g, const struct strata_learn_cache *cache)
{
    enum { STEPS = 16, OCTAVES_BELOW = 5, OCTAVES_ABOVE = 3 }; /* STEPS an octave */
    double size = log2(cache->lines), before = 1;
    *g = (struct learn_geometry){.cache = *cache};
    if (cache->ways == cache->lines) {
        add_weight(g->weight, 4 * size, 1);
        return;
    }
    for (int j = -OCTAVES_BELOW * STEPS; j < OCTAVES_ABOVE * STEPS; j++) {
        double at = size + (double)j / STEPS, lines = exp2(at + 1.0 / STEPS);
        double after = lines < 1 ? 1 : learn_hit_exact((uint32_t)lines - 1, cache->lines, cache->ways);
        if (before > after)
            add_weight(g->weight, 4 * (at + 0.5 / STEPS), before - after);
        before = after < before ? after : before;
    }
    add_weight(g->weight, 4 * (size + OCTAVES_ABOVE), before);
}

float learn_smoothed(const float curve[STRATA_LEARN_SIZES], const struct learn_geometry *g)
{
    float sum = 0;
    for (uint32_t k = 0; k < STRATA_LEARN_SIZES; k++)
        sum += g->weight[k] * curve[k];
    return sum < 0 ? 0 : sum > 1 ? 1 : sum;
}

/* ---- vectors ---- */

/* Where the curves with time are read, in quarter octaves from the cache's size. */
static const int offsets[] = {-12, -8, -6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 6, 8, 12};
enum {
    RELATIVE = 12, /* quarter octaves each way around the cache's size, for distances */
    N_OFFSETS = sizeof offsets / sizeof offsets[0],
    N_PAPER = 2 + STRATA_LEARN_BUCKETS + 1 + 3,
    N_TIMED = N_PAPER + 1 + (2 * RELATIVE + 1) + 2 * N_OFFSETS + 2,
};
_Static_assert((int)N_TIMED <= (int)LEARN_MAX_FEATURES, "the vector does not fit");

const char *learn_feature_set_name(uint32_t set)
{
    return set == LEARN_FEATURES_PAPER ? "paper" : "timed";
}

uint32_t learn_feature_count(uint32_t set)
{
    return set == LEARN_FEATURES_PAPER ? N_PAPER : N_TIMED;
}

/* Share of accesses at a distance of `x` or more, first ones included; `tail` holds it at the first
 * distance of each bucket. */
static float at_least(const float tail[STRATA_LEARN_BUCKETS + 1], double x)
{
    if (x <= 8)
        return tail[(uint32_t)ceil(x)];
    if (x >= 32768)
        return tail[STRATA_LEARN_BUCKETS - 1];
    uint32_t b = learn_bucket_of((uint32_t)x), from = learn_bucket_from(b), to = learn_bucket_from(b + 1);
    double within = (x - from) / (double)(to - from);
    return (float)(tail[b] + within * ((double)tail[b + 1] - tail[b]));
}

static float on_curve(const float curve[STRATA_LEARN_SIZES], double quarter_octaves)
{
    if (quarter_octaves <= 0)
        return curve[0];
    if (quarter_octaves >= STRATA_LEARN_SIZES - 1)
        return curve[STRATA_LEARN_SIZES - 1];
    uint32_t k = (uint32_t)quarter_octaves;
    return (float)(curve[k] + (quarter_octaves - k) * ((double)curve[k + 1] - curve[k]));
}

static float *put_geometry(float *at, const struct strata_learn_cache *cache)
{
    *at++ = (float)(log2(cache->lines) / 13);
    *at++ = (float)(log2(cache->ways) / 13);
    *at++ = (float)(log2((double)cache->lines / cache->ways) / 13);
    return at;
}

static float *put_distances(float *at, const struct strata_learn_interval *p, const struct strata_learn_cache *cache)
{
    float tail[STRATA_LEARN_BUCKETS + 1];
    tail[STRATA_LEARN_BUCKETS] = p->cold;
    for (int b = STRATA_LEARN_BUCKETS - 1; b >= 0; b--)
        tail[b] = tail[b + 1] + p->share[b];
    for (int j = -RELATIVE; j <= RELATIVE; j++) {
        int octave = (j + 4 * RELATIVE) / 4 - RELATIVE, quarter = (j + 4 * RELATIVE) % 4;
        *at++ = at_least(tail, cache->lines * ldexp(1 + quarter / 4.0, octave));
    }
    return at;
}

static float *put_curve(float *at, const float curve[STRATA_LEARN_SIZES], const struct learn_geometry *g)
{
    double size = 4 * log2(g->cache.lines);
    for (int j = 0; j < N_OFFSETS; j++)
        *at++ = on_curve(curve, size + offsets[j]);
    *at++ = learn_smoothed(curve, g);
    return at;
}

void learn_features(const struct strata_learn_interval *p, const struct learn_geometry *g, uint32_t set, float *out)
{
    float *at = out;
    *at++ = (float)p->peaks / 12;
    *at++ = (float)(log2(p->max_distance + 1.0) / 15);
    memcpy(at, p->share, sizeof p->share);
    at += STRATA_LEARN_BUCKETS;
    *at++ = p->cold;
    at = put_geometry(at, &g->cache);
    if (set == LEARN_FEATURES_PAPER)
        return;
    *at++ = (float)(log2(p->accesses + 1.0) / 14);
    at = put_distances(at, p, &g->cache);
    at = put_curve(at, p->miss, g);
    put_curve(at, p->merge, g);
}

static float log_odds(float rate)
{
    float least = 0.0001f, x = rate < least ? least : rate > 1 - least ? 1 - least : rate;
    return logf(x / (1 - x));
}

void learn_start(const struct strata_learn_interval *p, const struct learn_geometry *g, uint32_t set, float out[2])
{
    bool timed = set == LEARN_FEATURES_TIMED;
    out[0] = timed ? log_odds(learn_smoothed(p->miss, g)) : 0;
    out[1] = timed ? log_odds(learn_smoothed(p->merge, g)) : 0;
}
