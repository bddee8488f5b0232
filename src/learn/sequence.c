/* sequence.c - Algorithms 1 and 2 of paper 003. */
#include "learn/sequence.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/rng.h"

uint64_t learn_random_below(struct learn_random *r, uint64_t n)
{
    return rng_below(r->seed, r->at++, n);
}

double learn_random_unit(struct learn_random *r)
{
    return (double)(rng_at(r->seed, r->at++) >> 11) / 9007199254740992.0;
}

uint64_t learn_random_log(struct learn_random *r, uint64_t least, uint64_t most)
{
    double x =
        log((double)least) + learn_random_unit(r) * (log((double)most + 1) - log((double)least));
    uint64_t value = (uint64_t)exp(x);
    return value < least ? least : value > most ? most : value;
}

/* ---- Algorithm 1 ---- */

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "for a sequence of accesses");
}

void learn_target_release(struct learn_target *t)
{
    free(t->share);
    memset(t, 0, sizeof *t);
}

static void add_peak(struct learn_target *t, double position, double deviation, double ratio)
{
    double from = floor(position - 9 * deviation), to = ceil(position + 9 * deviation), sum = 0;
    size_t first = from > 0 ? (size_t)from : 0,
           last = to < (double)t->n - 1 ? (size_t)to : t->n - 1;
    for (size_t d = first; d <= last; d++)
        sum += gsl_ran_gaussian_pdf((double)d - position, deviation);
    for (size_t d = first; sum > 0 && d <= last; d++)
        t->share[d] += ratio * gsl_ran_gaussian_pdf((double)d - position, deviation) / sum;
}

strata_status learn_target_make(struct learn_target *t, uint32_t peaks, uint32_t max_distance,
                                struct learn_random *r, struct strata_error *err)
{
    enum { MOST_PEAKS = 64 };
    double ratio[MOST_PEAKS + 1], sum = 0;
    uint64_t position[MOST_PEAKS];
    peaks = peaks > MOST_PEAKS ? MOST_PEAKS : peaks;
    t->n = (size_t)max_distance + 1;
    t->share = calloc(t->n, sizeof *t->share);
    if (!t->share)
        return no_memory(err);
    for (uint32_t i = 0; i < peaks; i++) {
        position[i] = learn_random_below(r, (uint64_t)max_distance + 1);
        ratio[i] = learn_random_unit(r);
        sum += ratio[i];
    }
    ratio[peaks] = learn_random_unit(r);
    sum = sum + ratio[peaks] > 0 ? sum + ratio[peaks] : 1;
    for (uint32_t i = 0; i < peaks; i++)
        add_peak(t, (double)position[i], 2 * learn_random_unit(r) + 1e-3, ratio[i] / sum);
    t->cold = ratio[peaks] / sum;
    return STRATA_OK;
}

/* ---- Algorithm 2 ---- */

strata_status learn_writer_init(struct learn_writer *w, uint64_t lines, size_t length,
                                struct strata_error *err)
{
    memset(w, 0, sizeof *w);
    w->lines = lines;
    w->cap_stack = length + 1;
    w->used.mask = 16;
    while (w->used.mask < 2 * w->cap_stack)
        w->used.mask *= 2;
    w->used.line = calloc(w->used.mask, sizeof *w->used.line);
    w->used.mask--;
    w->stack = malloc(w->cap_stack * sizeof *w->stack);
    if (w->used.line && w->stack)
        return STRATA_OK;
    learn_writer_release(w);
    return no_memory(err);
}

void learn_writer_release(struct learn_writer *w)
{
    free(w->stack);
    free(w->used.line);
    free(w->owed);
    memset(w, 0, sizeof *w);
}

static void owe(struct learn_writer *w, size_t distance, double change)
{
    for (size_t i = (distance == SIZE_MAX ? w->n_owed : distance + 1); i <= w->n_owed; i += i & -i)
        w->owed[i] += change;
}

static double owed_before(const struct learn_writer *w, size_t end)
{
    double sum = 0;
    for (size_t i = end; i; i -= i & -i)
        sum += w->owed[i];
    return sum;
}

double learn_writer_owed(const struct learn_writer *w, size_t distance)
{
    size_t i = distance == SIZE_MAX ? w->n_owed - 1 : distance;
    return i < w->n_owed ? owed_before(w, i + 1) - owed_before(w, i) : 0;
}

strata_status learn_writer_begin(struct learn_writer *w, const struct learn_target *t,
                                 size_t length, struct strata_error *err)
{
    double *owed = calloc(t->n + 2, sizeof *owed);
    if (!owed)
        return no_memory(err);
    free(w->owed);
    w->owed = owed;
    w->n_owed = t->n + 1;
    w->length = length;
    for (size_t d = 0; d < t->n; d++)
        owe(w, d, t->share[d] * (double)length);
    owe(w, SIZE_MAX, t->cold * (double)length);
    return STRATA_OK;
}

size_t learn_writer_draw(const struct learn_writer *w, struct learn_random *r)
{
    double total = owed_before(w, w->n_owed), x = learn_random_unit(r) * total;
    size_t at = 0;
    if (!(total > 1e-9)) /* rounding has eaten the rest */
        return SIZE_MAX;
    for (size_t step = (size_t)1 << log2_floor(w->n_owed); step; step /= 2)
        if (at + step <= w->n_owed && w->owed[at + step] <= x) {
            at += step;
            x -= w->owed[at];
        }
    return at + 1 >= w->n_owed ? SIZE_MAX : at;
}

/* An access was made at this distance: one less is owed, and never less than none. */
static void pay(struct learn_writer *w, size_t distance)
{
    double left = learn_writer_owed(w, distance);
    owe(w, distance, left > 1 ? -1 : -left);
}

/* Line 8: the paper draws an index from all; one that is in use already would not be a first
 * access. */
static uint64_t new_line(struct learn_writer *w, struct learn_random *r)
{
    for (;;) {
        uint64_t line = learn_random_below(r, w->lines), h = mix64(line + 1) & w->used.mask;
        while (w->used.line[h] && w->used.line[h] != line + 1)
            h = (h + 1) & w->used.mask;
        if (!w->used.line[h]) {
            w->used.line[h] = line + 1;
            return line;
        }
    }
}

size_t learn_writer_step(struct learn_writer *w, size_t distance, uint64_t *out, size_t room,
                         struct learn_random *r)
{
    size_t n = 0;
    while (n < room && (distance == SIZE_MAX ? !n : w->n_stack <= distance)) {
        out[n] = w->stack[w->n_stack++] = new_line(w, r);
        pay(w, SIZE_MAX);
        n++;
    }
    if (distance == SIZE_MAX || n == room)
        return n;
    size_t at = w->n_stack - 1 - distance;
    uint64_t line = w->stack[at];
    memmove(&w->stack[at], &w->stack[at + 1], distance * sizeof w->stack[0]);
    w->stack[w->n_stack - 1] = line;
    pay(w, distance);
    out[n] = line;
    return n + 1;
}

strata_status learn_sequence_make(uint64_t *out, size_t length, uint32_t peaks,
                                  uint32_t max_distance, uint32_t segments, struct learn_random *r,
                                  struct strata_error *err)
{
    struct learn_writer w;
    strata_status st = learn_writer_init(&w, (uint64_t)1 << 30, length, err);
    for (uint32_t s = 0; s < segments && st == STRATA_OK; s++) {
        size_t at = length * s / segments, end = length * (s + 1) / segments;
        struct learn_target t = {0};
        st = learn_target_make(&t, peaks, max_distance, r, err);
        if (st == STRATA_OK)
            st = learn_writer_begin(&w, &t, end - at, err);
        while (st == STRATA_OK && at < end)
            at += learn_writer_step(&w, learn_writer_draw(&w, r), out + at, end - at, r);
        learn_target_release(&t);
    }
    learn_writer_release(&w);
    return st;
}
