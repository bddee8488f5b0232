/* sweep.c - the L1 at 0.25 to 4 times its associativity, size, line and registers. */
#include <stdlib.h>
#include <string.h>

#include <strata/coalesce.h>
#include <strata/reuse.h>

#include "base/bits.h"
#include "cache/cache.h"
#include "reuse/model_reuse.h"
#include "reuse/queue.h"

struct sweep {
    struct strata_sweep_point *point;
    struct strata_gpu *gpu; /* one for each point */
    struct strata_coalescer coalescer[STRATA_SWEEP_POINTS];
    struct cache
        *cache[STRATA_SWEEP_POINTS]; /* by core; created when a core makes its first access */
    struct residents residents;
    uint64_t l1_bytes, seed;
};

const char *strata_sweep_parameter_name(uint32_t parameter)
{
    static const char *const names[] = {"as it is", "ways", "size", "line", "mshrs"};
    return parameter < 5 ? names[parameter] : "unknown";
}

/* Changes one number of a GPU; false if it cannot be changed so. */
static bool change(struct strata_gpu *g, uint32_t parameter, double factor, uint64_t *value)
{
    struct strata_cache_config *c = &g->l1.cache;
    uint64_t now = parameter == STRATA_SWEEP_WAYS    ? c->ways
                   : parameter == STRATA_SWEEP_SIZE  ? c->size_bytes
                   : parameter == STRATA_SWEEP_LINE  ? c->line_bytes
                   : parameter == STRATA_SWEEP_MSHRS ? g->l1.mshrs
                                                     : 1;
    *value = (uint64_t)((double)now * factor);
    if (!*value || (double)*value != (double)now * factor)
        return false;
    if (parameter == STRATA_SWEEP_WAYS)
        c->ways = (uint32_t)*value;
    if (parameter == STRATA_SWEEP_SIZE)
        c->size_bytes = *value;
    if (parameter == STRATA_SWEEP_LINE)
        c->line_bytes = (uint32_t)*value;
    if (parameter == STRATA_SWEEP_MSHRS)
        g->l1.mshrs = (uint32_t)*value;
    c->sector_bytes = c->line_bytes; /* section 7 is about lines */
    return c->line_bytes >= 16 && (!c->ways || (uint64_t)c->ways * c->line_bytes <= c->size_bytes);
}

static strata_status prepare(struct sweep *s, const struct strata_gpu *gpu,
                             struct strata_reader *reader, struct strata_error *err)
{
    static const double factors[] = {0.25, 0.5, 2, 4};
    struct residents_options placing = {.loads_only = true};
    strata_status st = residents_init(&s->residents, gpu, reader, &placing, err);
    if (st != STRATA_OK)
        return st;
    s->gpu = calloc(STRATA_SWEEP_POINTS, sizeof *s->gpu);
    for (uint32_t i = 0; i < STRATA_SWEEP_POINTS; i++) {
        s->cache[i] = calloc(s->residents.n_cores, sizeof *s->cache[i]);
        if (!s->gpu || !s->cache[i])
            return strata_no_memory(err, NULL, "for the caches of a sweep");
        struct strata_sweep_point *p = &s->point[i];
        *p = (struct strata_sweep_point){.parameter = i ? 1 + (i - 1) / 4 : 0,
                                         .factor = i ? factors[(i - 1) % 4] : 1};
        s->gpu[i] = *gpu;
        s->gpu[i].l1.cache.size_bytes = s->residents.occupancy.l1_bytes;
        s->gpu[i].l1.n_carveout = 0; /* the size is the one given here */
        p->possible = change(&s->gpu[i], p->parameter, p->factor, &p->value);
        strata_coalescer_init(&s->coalescer[i], gpu, s->residents.launch);
        s->coalescer[i].line_shift = log2_floor(s->gpu[i].l1.cache.line_bytes);
        s->coalescer[i].sector_shift = s->coalescer[i].line_shift;
    }
    return STRATA_OK;
}

static strata_status access(struct sweep *s, uint32_t i, uint32_t core,
                            const struct strata_winst *w, uint64_t local_base,
                            struct strata_error *err)
{
    struct strata_request request[STRATA_MAX_REQUESTS];
    struct cache *c = &s->cache[i][core];
    strata_status st =
        c->slot ? STRATA_OK : cache_create(&s->gpu[i].l1.cache, s->seed + core, c, err);
    unsigned n = st == STRATA_OK ? strata_coalesce(&s->coalescer[i], w, local_base, request) : 0;
    for (unsigned k = 0; k < n; k++) {
        uint32_t slot = cache_find(c, request[k].line);
        s->point[i].accesses++;
        if (slot != CACHE_NONE) {
            cache_touch(c, slot);
            continue;
        }
        s->point[i].misses++;
        cache_insert(c, request[k].line, NULL);
    }
    return st;
}

/* One access of the trace goes to the caches of all points. */
static strata_status visit(void *context, uint32_t core, uint32_t warp,
                           const struct strata_winst *w, uint64_t now, struct queue_outcome *out,
                           struct strata_error *err)
{
    struct sweep *s = context;
    strata_status st = STRATA_OK;
    (void)now;
    (void)out;
    for (uint32_t i = 0; i < STRATA_SWEEP_POINTS && st == STRATA_OK; i++)
        if (s->point[i].possible && s->point[i].parameter != STRATA_SWEEP_MSHRS)
            st = access(s, i, core, w, s->residents.warp[warp].local_base, err);
    return st;
}

static strata_status run_timed(struct sweep *s, const struct strata_reader *reader,
                               struct strata_error *err)
{
    struct reuse_settings settings;
    struct strata_model_options none = {.seed = s->seed};
    strata_status st = reuse_settings_read(&settings, &none, err);
    for (uint32_t i = 0; i < STRATA_SWEEP_POINTS && st == STRATA_OK; i++) {
        struct strata_reader *again;
        struct reuse_totals t;
        if (!s->point[i].possible)
            continue;
        st = strata_reader_reopen(reader, &again, err);
        if (st != STRATA_OK)
            return st;
        st = reuse_paper_pass(&s->gpu[i], again, &settings, s->seed, &t, err);
        strata_reader_close(again);
        if (st == STRATA_OK) {
            s->point[i].timed_accesses = (double)t.accesses;
            s->point[i].timed_misses = (double)(t.misses - t.kind[TIMED_LATENCY]);
        }
    }
    return st;
}

strata_status strata_reuse_sweep(const struct strata_gpu *gpu, struct strata_reader *reader,
                                 uint64_t seed, bool timed,
                                 struct strata_sweep_point out[STRATA_SWEEP_POINTS],
                                 struct strata_error *err)
{
    struct sweep *s = calloc(1, sizeof *s);
    if (!s)
        return strata_no_memory(err, NULL, "for a sweep");
    s->point = out;
    s->seed = seed;
    strata_status st = prepare(s, gpu, reader, err);
    if (st == STRATA_OK)
        st = queue_run(&s->residents, visit, s, err);
    if (st == STRATA_OK && timed)
        st = run_timed(s, reader, err);
    for (uint32_t i = 0; i < STRATA_SWEEP_POINTS; i++) {
        for (uint32_t c = 0; s->cache[i] && c < s->residents.n_cores; c++)
            cache_release(&s->cache[i][c]);
        free(s->cache[i]);
    }
    residents_release(&s->residents);
    free(s->gpu);
    free(s);
    return st;
}
