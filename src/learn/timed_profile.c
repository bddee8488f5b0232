/* timed_profile.c - one pass over a stream: its reuse distances, and what fully associative LRU
 * caches of all sizes do with it when a miss takes time.
 *
 * Plain stack distances answer for all sizes at once because a line is at the same depth in each of
 * them. With time they differ: a line enters a cache when it arrives, and whether it was sent for
 * depends on the size. But only lines on their way make the difference. A line that was used in the
 * cache, or arrived there, at cycle `from` has sunk by
 *     the lines used since, less those of them that are on their way now,
 *     plus those not used since that arrived since.
 * The first is the stack distance. The others are at most as many as were last used in the
 * `latency` cycles before now and before `from`: sizes further from the distance than that need no
 * look, the rest is counted, eight sizes at a time. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "learn/features.h"

_Static_assert(STRATA_LEARN_SIZES == 32, "a bit a size");

/* ---- last uses ---- */

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
    r->live += change;
    for (size_t i = at / 64 + 1; i <= r->n_words; i += i & -i)
        r->sum[i] += change;
}

/* Lines last used at `from` or later. */
static uint32_t recency_since(const struct recency *r, size_t from)
{
    uint32_t before =
        (uint32_t)__builtin_popcountll(r->bits[from / 64] & (((uint64_t)1 << from % 64) - 1));
    for (size_t i = from / 64; i; i -= i & -i)
        before += r->sum[i];
    return r->live - before;
}

/* Lines last used in [from, to), which is short. */
static uint32_t recency_between(const struct recency *r, size_t from, size_t to)
{
    uint32_t n = 0;
    if (from >= to)
        return 0;
    size_t first = from / 64, last = (to - 1) / 64;
    for (size_t w = first; w <= last; w++) {
        uint64_t word = r->bits[w];
        word &= w == first ? ~(uint64_t)0 << from % 64 : ~(uint64_t)0;
        word &= w == last ? ~(uint64_t)0 >> (63 - (to - 1) % 64) : ~(uint64_t)0;
        n += (uint32_t)__builtin_popcountll(word);
    }
    return n;
}

/* ---- marks ---- */

/* Bit k of a set of sizes stands for learn_size_lines(k). */
typedef uint32_t size_set;
enum { OCTETS = STRATA_LEARN_SIZES / 8, BLOCK = 16, ROWS_A_BYTE = 255 / BLOCK };

/* A set of sizes for each access, and how often each size is in the sets of a block of accesses: a
 * byte a size, the first one lowest. */
struct marks {
    size_set *at;
    uint64_t (*row)[OCTETS];
    size_t mask; /* a ring, unless it is longer than the stream */
};

static bool marks_init(struct marks *m, size_t n)
{
    size_t slots = BLOCK;
    while (slots < n)
        slots *= 2;
    m->mask = slots - 1;
    m->at = calloc(slots, sizeof *m->at);
    m->row = calloc(slots / BLOCK, sizeof *m->row);
    return m->at && m->row;
}

static void marks_release(struct marks *m)
{
    free(m->at);
    free(m->row);
}

/* Bits of the j-th byte of a set, a byte each: eight copies of it, each of which keeps a bit of its
 * own; what is not zero then reaches the top of its byte when 127 is added. */
static uint64_t spread(size_set sizes, int j)
{
    uint64_t copies =
        (uint64_t)(sizes >> 8 * j & 255) * 0x0101010101010101ull & 0x8040201008040201ull;
    return (copies + 0x7f7f7f7f7f7f7f7full) >> 7 & 0x0101010101010101ull;
}

static void marks_add(struct marks *m, size_t i, size_set sizes)
{
    size_t slot = i & m->mask;
    m->at[slot] |= sizes;
    for (int j = 0; j < OCTETS; j++)
        m->row[slot / BLOCK][j] += spread(sizes, j);
}

static void marks_remove(struct marks *m, size_t i, size_set sizes)
{
    size_t slot = i & m->mask;
    m->at[slot] &= ~sizes;
    for (int j = 0; j < OCTETS; j++)
        m->row[slot / BLOCK][j] -= spread(sizes, j);
}

/* Counts of eight sizes: those of even and of odd number, 16 bits each. */
struct counters {
    uint64_t even, odd;
};

static void widen(struct counters *c, uint64_t bytes)
{
    c->even += bytes & 0x00ff00ff00ff00ffull;
    c->odd += bytes >> 8 & 0x00ff00ff00ff00ffull;
}

static uint32_t counted(const struct counters *c, uint32_t k)
{
    return (uint32_t)((k & 1 ? c->odd : c->even) >> (k / 2 % 4 * 16) & 0xffff);
}

static uint64_t add_singly(const struct marks *m, size_t from, size_t to, int j)
{
    uint64_t sum = 0;
    for (size_t i = from; i < to; i++)
        sum += spread(m->at[i & m->mask], j);
    return sum;
}

/* How many of the accesses [from, to) have each of the j-th eight sizes. */
static struct counters marks_count(const struct marks *m, size_t from, size_t to, int j)
{
    struct counters c = {0};
    size_t first = (from + BLOCK - 1) / BLOCK, last = to / BLOCK, blocks = m->mask / BLOCK;
    if (first > last) {
        widen(&c, add_singly(m, from, to, j));
        return c;
    }
    widen(&c, add_singly(m, from, first * BLOCK, j) + add_singly(m, last * BLOCK, to, j));
    for (size_t b = first; b < last;) {
        uint64_t sum = 0;
        for (size_t end = b + ROWS_A_BYTE < last ? b + ROWS_A_BYTE : last; b < end; b++)
            sum += m->row[b & blocks][j];
        widen(&c, sum);
    }
    return c;
}

/* ---- state ---- */

struct line_state {
    uint32_t used;                       /* access of its last use + 1; 0: never */
    uint32_t missed[STRATA_LEARN_SIZES]; /* access of its last miss, by size */
};

struct extraction {
    const struct learn_stream *s;
    size_t latency;
    /* By access: the first one of the `latency` cycles before it, and the first one that finds its
     * line there if it misses. */
    uint32_t *window, *landed;
    size_t arriving; /* the next access whose line arrives */
    uint32_t size[STRATA_LEARN_SIZES];
    struct recency recency;
    struct line_state *line;
    /* Of the last use of a line: for which sizes it was on its way then and is still, or has
     * arrived since. Of each access: which sizes missed. All but the second are needed for
     * `latency` cycles only. */
    struct marks coming, arrived;
    size_set *sent;
};

struct tally {
    uint64_t cold, bucket[STRATA_LEARN_BUCKETS];
    uint32_t miss[STRATA_LEARN_SIZES], merge[STRATA_LEARN_SIZES];
    uint32_t max_distance;
};

/* ---- depths ---- */

static size_set sizes_up_to(const struct extraction *x, uint32_t lines)
{
    if (!lines)
        return 0;
    uint32_t k = log2_floor(lines) * 2;
    while (k < STRATA_LEARN_SIZES && x->size[k] <= lines)
        k++;
    return k < STRATA_LEARN_SIZES ? ((size_set)1 << k) - 1 : ~(size_set)0;
}

struct range {
    size_t from, to;
};

/* Of the j-th eight sizes: those that are no larger than the depth. */
static size_set lost_of_eight(const struct extraction *x, struct range recent, struct range early,
                              uint32_t since, size_set open, int j)
{
    struct counters coming = marks_count(&x->coming, recent.from, recent.to, j);
    struct counters arrived = marks_count(&x->arrived, early.from, early.to, j);
    size_set missed = 0;
    for (size_set rest = open & (size_set)255 << 8 * j; rest; rest &= rest - 1) {
        uint32_t k = (uint32_t)__builtin_ctz(rest);
        if (x->size[k] + counted(&coming, k) <= since + counted(&arrived, k))
            missed |= rest & -rest;
    }
    return missed;
}

/* Which of `sizes` have lost a line that was last used there, or arrived, just before access
 * `from`. */
static size_set lost(const struct extraction *x, size_t now, size_t from, size_set sizes)
{
    size_t recent = x->window[now] > from ? x->window[now] : from;
    size_t early = x->window[from];
    uint32_t since = recency_since(&x->recency, from);
    uint32_t most_coming = recency_between(&x->recency, recent, now),
             most_arrived = recency_between(&x->recency, early, from);
    size_set missed = sizes & sizes_up_to(x, since - most_coming);
    size_set open = sizes & sizes_up_to(x, since + most_arrived) & ~missed;
    for (int j = 0; j < OCTETS; j++)
        if (open >> 8 * j & 255)
            missed |= lost_of_eight(x, (struct range){recent, now}, (struct range){early, from},
                                    since, open, j);
    return missed;
}

/* Lines that were on their way at their last use have come into the caches when they arrived, by
 * size. */
static size_set lost_since_arrival(const struct extraction *x, const struct line_state *l,
                                   size_t now, size_set sizes)
{
    size_set missed = 0;
    while (sizes) {
        uint32_t sent = l->missed[__builtin_ctz(sizes)];
        size_set alike = 0;
        for (size_set rest = sizes; rest; rest &= rest - 1)
            if (l->missed[__builtin_ctz(rest)] == sent)
                alike |= rest & -rest;
        missed |= lost(x, now, x->landed[sent], alike);
        sizes &= ~alike;
    }
    return missed;
}

/* ---- the pass ---- */

static void take_arrivals(struct extraction *x, size_t now)
{
    for (; x->latency && x->landed[x->arriving] <= now; x->arriving++) {
        size_set sizes = x->sent[x->arriving & x->coming.mask];
        size_t used = x->line[x->s->id[x->arriving]].used - 1;
        marks_remove(&x->coming, used, sizes);
        marks_add(&x->arrived, used, sizes);
    }
}

static void add_each(uint32_t counter[STRATA_LEARN_SIZES], size_set sizes)
{
    for (uint32_t k = 0; k < STRATA_LEARN_SIZES; k++)
        counter[k] += sizes >> k & 1;
}

/* Which sizes miss; *merged: for which the line is on its way. */
static size_set use_again(struct extraction *x, struct tally *t, const struct line_state *l,
                          size_t now, size_set *merged)
{
    size_t used = l->used - 1;
    bool recent = used >= x->window[now];
    size_set coming = recent ? x->coming.at[used & x->coming.mask] : 0,
             arrived = x->arrived.at[used];
    uint32_t distance = recency_since(&x->recency, used + 1);
    t->bucket[learn_bucket_of(distance)]++;
    t->max_distance = distance > t->max_distance ? distance : t->max_distance;
    recency_flip(&x->recency, used, -1u);
    marks_remove(&x->arrived, used, arrived);
    marks_remove(&x->coming, used, coming);
    *merged = coming;
    return lost(x, now, used + 1, ~coming & ~arrived) | lost_since_arrival(x, l, now, arrived);
}

static void tally_access(struct extraction *x, struct tally *t, size_t now)
{
    struct line_state *l = &x->line[x->s->id[now]];
    size_set merged = 0, missed = ~(size_set)0;
    take_arrivals(x, now);
    if (l->used)
        missed = use_again(x, t, l, now, &merged);
    else
        t->cold++;
    add_each(t->miss, missed);
    add_each(t->merge, merged);
    for (size_set rest = missed; rest; rest &= rest - 1)
        l->missed[__builtin_ctz(rest)] = (uint32_t)now;
    x->sent[now & x->coming.mask] = missed;
    marks_add(&x->coming, now, x->latency ? missed | merged : 0);
    recency_flip(&x->recency, now, 1);
    l->used = (uint32_t)now + 1;
}

/* N: buckets that hold at least 1 % of the accesses and stand out from both neighbours. */
static uint32_t count_peaks(const float *share)
{
    uint32_t n = 0;
    for (uint32_t b = 0; b < STRATA_LEARN_BUCKETS; b++) {
        float before = b ? share[b - 1] : 0,
              after = b + 1 < STRATA_LEARN_BUCKETS ? share[b + 1] : 0;
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

static void extract(struct extraction *x, const struct learn_span *span, size_t n_spans,
                    struct strata_learn_interval *out)
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

/* At most one access a cycle: no window is longer than the latency, and the rings of `latency`
 * entries hold it. */
static bool find_windows(struct extraction *x)
{
    const uint64_t *time = x->s->time;
    size_t n = x->s->n, first = 0, due = 0;
    x->window = malloc((n + 1) * sizeof *x->window);
    x->landed = malloc((n + 1) * sizeof *x->landed);
    if (!x->window || !x->landed)
        return false;
    for (size_t i = 0; i < n; i++) {
        uint64_t at = time ? time[i] : i;
        while ((time ? time[first] : first) + x->latency < at)
            first++;
        while (due < i && (time ? time[due] : due) + x->latency <= at)
            x->landed[due++] = (uint32_t)i;
        x->window[i] = (uint32_t)first;
    }
    while (due <= n)
        x->landed[due++] = UINT32_MAX;
    return true;
}

strata_status learn_profile(const struct learn_stream *s, const struct learn_span *span,
                            size_t n_spans, uint32_t latency_cycles,
                            struct strata_learn_interval *out, struct strata_error *err)
{
    struct extraction x = {.s = s, .latency = latency_cycles};
    strata_status st = STRATA_OK;
    for (uint32_t k = 0; k < STRATA_LEARN_SIZES; k++)
        x.size[k] = learn_size_lines(k);
    if (s->n >= UINT32_MAX - 1)
        return strata_fail(err, STRATA_ELIMIT, NULL, 0, 0,
                           "A stream of %zu accesses is too long to be profiled; take fewer SMs.",
                           s->n);
    x.line = calloc(s->n_lines ? s->n_lines : 1, sizeof *x.line);
    bool good = recency_init(&x.recency, s->n) && x.line;
    good = marks_init(&x.coming, x.latency + BLOCK) && marks_init(&x.arrived, s->n) && good;
    x.sent = calloc(x.coming.mask + 1, sizeof *x.sent);
    if (good && find_windows(&x) && x.sent)
        extract(&x, span, n_spans, out);
    else
        st = strata_no_memory(err, NULL, "for the profile of %u lines", s->n_lines);
    free(x.recency.bits);
    free(x.recency.sum);
    free(x.line);
    marks_release(&x.coming);
    marks_release(&x.arrived);
    free(x.sent);
    free(x.window);
    free(x.landed);
    return st;
}
