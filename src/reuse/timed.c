/* timed.c - distances on a stack whose changes come late. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* as in stack.c */
#endif
#include "reuse/timed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>

#include "base/array.h"
#include "base/bits.h"
#include "cache/index.h"

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "for the stacks of a modelled cache");
}

strata_status timed_init(struct timed_cache *c, const struct timed_options *opt,
                         struct strata_error *err)
{
    memset(c, 0, sizeof *c);
    c->opt = *opt;
    uint32_t lines = (uint32_t)(opt->cache.size_bytes / opt->cache.line_bytes);
    if (!lines)
        return strata_fail(err, STRATA_ECONFIG, NULL, 0, 0,
                           "A cache of %llu bytes has no line of %u bytes.",
                           (unsigned long long)opt->cache.size_bytes, opt->cache.line_bytes);
    c->ways = opt->fully_associative || !opt->cache.ways || opt->cache.ways > lines
                  ? lines
                  : opt->cache.ways;
    c->n_sets = lines / c->ways;
    c->set = calloc(c->n_sets, sizeof *c->set);
    c->random = gsl_rng_alloc(gsl_rng_mt19937);
    if (!c->set || !c->random) {
        timed_release(c);
        return no_memory(err);
    }
    gsl_rng_set(c->random, (unsigned long)opt->seed);
    strata_status st = reuse_stack_init(&c->whole, err);
    for (uint32_t s = 0; s < c->n_sets && st == STRATA_OK; s++)
        st = reuse_stack_init(&c->set[s], err);
    if (st != STRATA_OK)
        timed_release(c);
    return st;
}

void timed_release(struct timed_cache *c)
{
    for (uint32_t s = 0; c->set && s < c->n_sets; s++)
        reuse_stack_release(&c->set[s]);
    reuse_stack_release(&c->whole);
    reuse_histogram_release(&c->histogram);
    free(c->set);
    calendar_release(&c->effect);
    calendar_release(&c->arrival);
    number_table_release(&c->sectors);
    free(c->flight);
    free(c->per_warp);
    if (c->random)
        gsl_rng_free(c->random);
    memset(c, 0, sizeof *c);
}

static uint32_t set_of(const struct timed_cache *c, uint64_t line)
{
    return index_of(&c->opt.cache, c->n_sets, line * c->opt.cache.line_bytes);
}

/* ---- lines on their way: a table by line, and their arrivals in order ---- */

static size_t flight_home(const struct timed_cache *c, uint64_t line)
{
    return (size_t)(mix64(line) & (c->cap_flight - 1));
}

static struct timed_flight *find_flight(struct timed_cache *c, uint64_t line)
{
    if (!c->n_flight)
        return NULL;
    for (size_t i = flight_home(c, line);; i = (i + 1) & (c->cap_flight - 1)) {
        if (!c->flight[i].line)
            return NULL;
        if (c->flight[i].line == line + 1)
            return &c->flight[i];
    }
}

static void put_flight(struct timed_cache *c, struct timed_flight f)
{
    size_t i = flight_home(c, f.line - 1);
    while (c->flight[i].line)
        i = (i + 1) & (c->cap_flight - 1);
    c->flight[i] = f;
}

static strata_status add_flight(struct timed_cache *c, struct timed_flight f,
                                struct strata_error *err)
{
    if ((c->n_flight + 1) * 2 > c->cap_flight) {
        size_t old_cap = c->cap_flight;
        struct timed_flight *old = c->flight,
                            *larger = calloc(old_cap ? old_cap * 2 : 64, sizeof *larger);
        if (!larger)
            return no_memory(err);
        c->flight = larger;
        c->cap_flight = old_cap ? old_cap * 2 : 64;
        for (size_t i = 0; i < old_cap; i++)
            if (old[i].line)
                put_flight(c, old[i]);
        free(old);
    }
    size_t cap = c->cap_per_warp;
    if (f.warp >= cap) {
        if (!ARRAY_RESERVE(c->per_warp, cap, c->cap_per_warp, f.warp + 1 - cap))
            return no_memory(err);
        memset(c->per_warp + cap, 0, (c->cap_per_warp - cap) * sizeof *c->per_warp);
    }
    if (!calendar_add(&c->arrival, f.arrival, f.line - 1))
        return no_memory(err);
    c->per_warp[f.warp]++;
    c->n_flight++;
    put_flight(c, f);
    return STRATA_OK;
}

static void land(struct timed_cache *c, uint64_t line)
{
    size_t mask = c->cap_flight - 1, hole = (size_t)(find_flight(c, line) - c->flight);
    c->per_warp[c->flight[hole].warp]--;
    for (size_t at = (hole + 1) & mask; c->flight[at].line; at = (at + 1) & mask) {
        size_t home = flight_home(c, c->flight[at].line - 1);
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            c->flight[hole] = c->flight[at];
            hole = at;
        }
    }
    c->flight[hole].line = 0;
}

static void land_due(struct timed_cache *c, uint64_t now)
{
    uint64_t line;
    while (calendar_take(&c->arrival, now + 1, &line)) {
        land(c, line);
        c->n_flight--;
    }
}

/* ---- effects take place, in order of their time and then of their issue (section 4.2) ---- */

static strata_status plan_effect(struct timed_cache *c, uint64_t line, uint64_t at,
                                 struct strata_error *err)
{
    return calendar_add(&c->effect, at, line) ? STRATA_OK : no_memory(err);
}

static strata_status apply(struct timed_cache *c, uint64_t line, struct strata_error *err)
{
    strata_status st = reuse_stack_use(&c->set[set_of(c, line)], line, err);
    return st == STRATA_OK ? reuse_stack_use(&c->whole, line, err) : st;
}

static strata_status apply_before(struct timed_cache *c, uint64_t now, struct strata_error *err)
{
    strata_status st = STRATA_OK;
    for (uint64_t line; st == STRATA_OK && calendar_take(&c->effect, now, &line);)
        st = apply(c, line, err);
    land_due(c, now);
    return st;
}

/* An access sees its own line if that arrives at this very instant, with all that came before it.
 */
static strata_status apply_own(struct timed_cache *c, uint64_t line, uint64_t now,
                               struct strata_error *err)
{
    enum { MOST = 256 };
    unsigned n = 0, upto = 0;
    strata_status st = STRATA_OK;
    for (const struct calendar_entry *e = calendar_first(&c->effect, now); e && n < MOST;
         e = calendar_following(&c->effect, e)) {
        n++;
        if (e->value == line)
            upto = n;
    }
    for (uint64_t due; upto && st == STRATA_OK && calendar_take(&c->effect, now + 1, &due); upto--)
        st = apply(c, due, err);
    return st;
}

/* ---- one transaction ---- */

static uint64_t draw_latency(struct timed_cache *c)
{
    double sigma = c->opt.miss_deviation_steps;
    double extra = sigma > 0 ? fabs(gsl_ran_gaussian(c->random, sigma)) : 0;
    return c->opt.miss_steps + (uint64_t)(extra + 0.5);
}

/* Why a miss missed, by what the same access would have met otherwise. */
static enum timed_kind classify(struct timed_cache *c, uint64_t line, uint32_t distance)
{
    if (find_flight(c, line))
        return TIMED_LATENCY;
    if (distance == REUSE_COLD)
        return TIMED_COMPULSORY; /* neither there before nor on its way: never asked for */
    return reuse_stack_distance(&c->whole, line) < c->n_sets * c->ways ? TIMED_CONFLICT
                                                                       : TIMED_CAPACITY;
}

static uint32_t flights_of(const struct timed_cache *c, uint32_t warp)
{
    return warp < c->cap_per_warp ? c->per_warp[warp] : 0;
}

/* May this miss go out? `taken`: registers that transactions of this instruction hold already. */
static bool register_free(struct timed_cache *c, uint32_t warp, uint64_t line, uint32_t in_use)
{
    struct timed_flight *f = find_flight(c, line);
    if (f && c->opt.mshr_merge)
        return !c->opt.mshr_merges || f->waiting < c->opt.mshr_merges;
    if (c->opt.mshrs_per_warp && flights_of(c, warp) >= c->opt.mshrs_per_warp)
        return false;
    return !c->opt.mshrs || in_use < c->opt.mshrs;
}

static strata_status take_off(struct timed_cache *c, uint32_t warp, uint64_t line,
                              uint64_t *effect_at, struct strata_error *err)
{
    struct timed_flight *f = find_flight(c, line);
    if (f) {
        f->waiting++;
        if (c->opt.clip && *effect_at > f->arrival)
            *effect_at = f->arrival;
        return STRATA_OK;
    }
    return add_flight(
        c,
        (struct timed_flight){.line = line + 1, .arrival = *effect_at, .waiting = 1, .warp = warp},
        err);
}

/* The sectors of a line that were asked for since it was last brought in. */
static uint8_t sectors_of(const struct timed_cache *c, uint64_t line)
{
    const uint64_t *sectors = number_table_find(&c->sectors, line);
    return sectors ? (uint8_t)*sectors : 0;
}

/* What of an access is there or on its way. Without sectors an access is to one thing, the line. A
 * line that neither is has lost what it had. */
static uint8_t held_of(struct timed_cache *c, uint64_t line, const struct timed_access *a)
{
    if (!a->there && !a->on_its_way)
        return 0;
    return c->opt.sectored ? a->asked & sectors_of(c, line) : a->asked;
}

static strata_status count(struct timed_cache *c, uint64_t line, const struct timed_access *a,
                           struct strata_error *err)
{
    bool there = a->distance != REUSE_COLD &&
                 !(c->opt.miss_above_ways ? a->distance > c->ways : a->distance >= c->ways);
    uint32_t n = popcount32(a->asked), held = popcount32(a->held);
    c->accesses += n;
    c->infinite += a->distance == REUSE_COLD ? n : 0;
    if (there) { /* sectors of a line that nobody asked for yet */
        uint32_t missing = c->opt.sectored ? n - held : 0;
        c->misses += missing;
        c->kind[TIMED_COMPULSORY] += missing;
    } else {
        c->misses += n;
        c->kind[TIMED_LATENCY] += a->on_its_way ? held : 0;
        n -= a->on_its_way ? held : 0;
        if (n)
            c->kind[a->on_its_way ? TIMED_COMPULSORY : classify(c, line, a->distance)] += n;
    }
    return reuse_histogram_add(&c->histogram, &a->distance, 1, err);
}

/* Distance, hit or miss, latency and time of effect of each transaction; none is made yet. Returns
 * false if a register is short. */
static bool measure(struct timed_cache *c, uint32_t warp, uint64_t line, uint8_t asked,
                    uint64_t now, bool test, struct timed_access *a)
{
    a->distance = reuse_stack_distance(&c->set[set_of(c, line)], line);
    a->there = a->distance != REUSE_COLD && a->distance < c->ways;
    a->on_its_way = !a->there && find_flight(c, line);
    a->asked = asked;
    a->held = held_of(c, line, a);
    a->hit = a->there && a->held == asked;
    a->mshrs_before = a->mshrs_after = (uint32_t)c->n_flight;
    a->latency = a->hit ? c->opt.hit_steps : draw_latency(c);
    a->effect_at = now + a->latency;
    a->cancelled = !a->hit && test && !register_free(c, warp, line, (uint32_t)c->n_flight);
    return !a->cancelled;
}

static strata_status remember_sectors(struct timed_cache *c, uint64_t line,
                                      const struct timed_access *a, struct strata_error *err)
{
    if (!c->opt.sectored || (a->hit && a->held == a->asked))
        return STRATA_OK;
    uint64_t *sectors = number_table_put(&c->sectors, line);
    if (!sectors)
        return no_memory(err);
    *sectors = (a->there || a->on_its_way ? *sectors : 0) | a->asked;
    return STRATA_OK;
}

static strata_status perform(struct timed_cache *c, uint32_t warp, uint64_t line,
                             struct timed_access *a, struct strata_error *err)
{
    strata_status st = count(c, line, a, err);
    if (st == STRATA_OK)
        st = remember_sectors(c, line, a, err);
    if (st == STRATA_OK && !a->hit)
        st = take_off(c, warp, line, &a->effect_at, err);
    a->mshrs_after = (uint32_t)c->n_flight;
    return st == STRATA_OK ? plan_effect(c, line, a->effect_at, err) : st;
}

/* Registers are tested for the whole instruction before any of it is made: a warp that cannot go on
 * is put on hold as a whole (section 4.4). One instruction may need more than there are; it then
 * goes when none is in use. */
static bool registers_suffice(struct timed_cache *c, uint32_t warp, const uint64_t *line,
                              unsigned n)
{
    if (!c->opt.mshrs && !c->opt.mshrs_per_warp)
        return true;
    uint32_t need = 0, own = 0;
    for (unsigned i = 0; i < n; i++) {
        uint32_t d = reuse_stack_distance(&c->set[set_of(c, line[i])], line[i]);
        struct timed_flight *f = find_flight(c, line[i]);
        if (d != REUSE_COLD && d < c->ways)
            continue;
        if (f && c->opt.mshr_merge) {
            if (c->opt.mshr_merges && f->waiting >= c->opt.mshr_merges)
                return false;
            continue;
        }
        need++;
    }
    own = flights_of(c, warp);
    if (!need)
        return true;
    if (c->opt.mshrs_per_warp && own && own + need > c->opt.mshrs_per_warp)
        return false;
    return !c->opt.mshrs || !c->n_flight || c->n_flight + need <= c->opt.mshrs;
}

strata_status timed_issue(struct timed_cache *c, uint32_t warp, const uint64_t *line,
                          const uint8_t *sectors, unsigned n, uint64_t now, unsigned *made,
                          uint64_t *delay, struct timed_access *trace, struct strata_error *err)
{
    strata_status st = apply_before(c, now, err);
    struct timed_access local[64];
    struct timed_access *a = trace ? trace : local;
    *made = 0;
    *delay = 0;
    for (unsigned i = 0; i < n && st == STRATA_OK && calendar_first(&c->effect, now); i++)
        st = apply_own(c, line[i], now, err);
    bool whole = !c->opt.mshr_first_lane_only && !c->opt.mshr_piecewise;
    if (st == STRATA_OK && whole && !registers_suffice(c, warp, line, n)) {
        if (trace)
            measure(c, warp, line[0], sectors ? sectors[0] : 1, now, true, &a[0]);
        c->cancelled++;
        return STRATA_OK;
    }
    for (unsigned i = 0; i < n && st == STRATA_OK; i++) {
        bool apart = c->opt.unit_per_transaction && !c->opt.batch;
        uint64_t t = apart ? now + i : now;
        if (apart && i) {
            st = apply_before(c, t, err);
            if (st == STRATA_OK)
                st = apply_own(c, line[i], t, err);
        }
        if (!measure(c, warp, line[i], sectors ? sectors[i] : 1, t,
                     !whole && (i == 0 || c->opt.mshr_piecewise), &a[i])) {
            c->cancelled++;
            return st;
        }
        if (st == STRATA_OK)
            st = perform(c, warp, line[i], &a[i], err);
        *made += st == STRATA_OK;
        uint64_t back = a[i].effect_at - now + (c->opt.late_return && !a[i].hit);
        if (c->opt.warp_waits && !a[i].hit && back > *delay)
            *delay = back;
    }
    return st;
}
