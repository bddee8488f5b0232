/* trace_stream.c - loads of a launch, in the order in which warps reach them. */
#include "learn/trace_stream.h"

#include <stdlib.h>
#include <string.h>

#include <strata/coalesce.h>
#include <strata/place.h>

#include "base/array.h"
#include "base/bits.h"
#include "learn/nominal.h"
#include "reuse/turns.h"
#include "memory/hierarchy.h"

struct collector {
    struct learn_sm_streams *out;
    struct nominal_memory memory;
    struct strata_coalescer coalescer;
    bool *kept;  /* by SM */
    bool failed; /* memory ran out */
};

static bool put(struct learn_sm_stream *s, uint64_t line, uint64_t at)
{
    if (!ARRAY_RESERVE(s->line, s->n, s->cap_lines, 1) ||
        !ARRAY_RESERVE(s->time, s->n, s->cap_times, 1))
        return false;
    s->line[s->n] = line;
    s->time[s->n] = s->n && s->time[s->n - 1] >= at ? s->time[s->n - 1] + 1 : at;
    s->n++;
    return true;
}

/* One line or sector of a load; when its data is there. */
static uint64_t load_unit(struct collector *c, uint32_t sm, uint64_t unit, uint64_t at)
{
    struct learn_sm_stream *s = &c->out->sm[sm];
    c->out->accesses++;
    if (c->kept[sm] && !put(s, unit, at))
        c->failed = true;
    uint64_t done = nominal_load(&c->memory, sm, unit, at);
    c->failed |= !done;
    return done;
}

static uint64_t load(struct collector *c, uint32_t sm, const struct strata_request *r, uint64_t at)
{
    uint64_t done = at;
    if (!c->out->sectors)
        return load_unit(c, sm, r->line >> c->coalescer.line_shift, at);
    for (uint32_t m = r->sectors; m; m &= m - 1)
        done = later_of(
            done, load_unit(c, sm, (r->line >> c->coalescer.sector_shift) + lowest_bit32(m), at));
    return done;
}

/* Stores hold up nobody, atomics are answered by the L2; loads and copies that go around the L1
 * take as long as it does, and are no access of its. */
static uint64_t visit(void *context, uint32_t sm, const struct strata_winst *w, uint64_t local_base,
                      uint64_t at)
{
    struct collector *c = context;
    struct strata_request request[STRATA_MAX_REQUESTS];
    enum strata_memop op = w->inst->memop;
    bool around = op == STRATA_MEM_ASYNC_COPY && w->inst->hints & STRATA_HINT_BYPASS_L1;
    if (op == STRATA_MEM_STORE)
        return at;
    if (around || (op != STRATA_MEM_LOAD && op != STRATA_MEM_ASYNC_COPY))
        return at + c->memory.gpu->l2.hit_cycles;
    unsigned n = strata_coalesce(&c->coalescer, w, local_base, request);
    uint64_t done = at;
    for (unsigned i = 0; i < n; i++)
        done = later_of(done, load(c, sm, &request[i], at));
    return done;
}

/* Blocks are dealt before anything runs, so the SMs with work at the start are known: the first
 * blocks of the launch in turn. With fewer blocks than SMs only those count. */
static strata_status choose_sms(struct collector *c, uint32_t most, uint32_t places,
                                const struct strata_launch *launch, struct strata_error *err)
{
    struct learn_sm_streams *s = c->out;
    uint64_t blocks = strata_launch_blocks(launch);
    uint32_t busy = 0, *order = calloc(s->n_sms, sizeof *order);
    bool *seen = calloc(s->n_sms, sizeof *seen);
    struct strata_dispatcher *d = NULL;
    strata_status st = order && seen
                           ? strata_dispatcher_create(c->memory.gpu, blocks, places, NULL, &d, err)
                           : strata_no_memory(err, NULL, "for the SMs of a launch");
    uint64_t block;
    for (uint32_t sm;
         st == STRATA_OK && busy < s->n_sms && strata_dispatcher_first(d, &block, &sm);)
        if (sm < s->n_sms && !seen[sm]) {
            seen[sm] = true;
            order[busy++] = sm;
        }
    for (uint32_t i = 0; i < busy; i++) {
        bool kept =
            !most || busy <= most || (uint64_t)i * most / busy != (uint64_t)(i + 1) * most / busy;
        c->kept[order[i]] = kept;
    }
    strata_dispatcher_destroy(d);
    free(order);
    free(seen);
    return st;
}

strata_status learn_streams_read(struct learn_sm_streams *out, const struct strata_gpu *gpu,
                                 struct strata_reader *reader, bool sectors, uint32_t most,
                                 struct strata_error *err)
{
    const struct strata_launch *launch = strata_reader_launch(reader);
    struct collector c = {.out = out};
    const struct turns_memory memory = {.access = visit, .context = &c};
    struct strata_occupancy occupancy;
    *out = (struct learn_sm_streams){.n_sms = gpu->sm.count, .sectors = sectors};
    out->sm = calloc(out->n_sms, sizeof *out->sm);
    c.kept = calloc(out->n_sms, sizeof *c.kept);
    strata_coalescer_init(&c.coalescer, gpu, launch);
    strata_status st = strata_occupancy_compute(gpu, launch, &occupancy, err);
    if (st == STRATA_OK)
        st = nominal_init(&c.memory, gpu,
                          sectors ? gpu->l1.cache.sector_bytes : gpu->l1.cache.line_bytes, err);
    if (st == STRATA_OK && (!out->sm || !c.kept))
        st = strata_no_memory(err, NULL, "for the SMs of a launch");
    if (st == STRATA_OK)
        st = choose_sms(&c, most, occupancy.blocks_per_sm, launch, err);
    if (st == STRATA_OK)
        st = turns_visit(gpu, reader, &memory, err);
    if (st == STRATA_OK && c.failed)
        st = strata_no_memory(err, NULL, "for the accesses of an SM; take fewer SMs");
    if (st == STRATA_OK)
        out->l1_bytes = occupancy.l1_bytes;
    nominal_release(&c.memory);
    free(c.kept);
    if (st != STRATA_OK)
        learn_streams_release(out);
    return st;
}

void learn_streams_release(struct learn_sm_streams *s)
{
    for (uint32_t i = 0; s->sm && i < s->n_sms; i++)
        free(s->sm[i].line), free(s->sm[i].time);
    free(s->sm);
    memset(s, 0, sizeof *s);
}
