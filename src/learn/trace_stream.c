/* trace_stream.c - loads of a launch, in the order in which warps take turns. */
#include "learn/trace_stream.h"

#include <stdlib.h>
#include <string.h>

#include <strata/coalesce.h>

#include "base/array.h"
#include "base/bits.h"
#include "reuse/queue.h"

struct collector {
    struct learn_sm_streams *out;
    struct residents residents;
    struct strata_coalescer coalescer;
    bool *kept; /* by SM */
};

static strata_status put(struct learn_sm_stream *s, uint64_t line, struct strata_error *err)
{
    if (!ARRAY_RESERVE(s->line, s->n, s->cap, 1))
        return strata_no_memory(err, NULL, "for the accesses of an SM; take fewer SMs");
    s->line[s->n++] = line;
    return STRATA_OK;
}

static strata_status visit(void *context, uint32_t core, uint32_t warp,
                           const struct strata_winst *w, uint64_t now, struct queue_outcome *out,
                           struct strata_error *err)
{
    struct collector *c = context;
    struct strata_request request[STRATA_MAX_REQUESTS];
    strata_status st = STRATA_OK;
    (void)now;
    (void)out;
    if (w->inst->memop == STRATA_MEM_ASYNC_COPY && w->inst->hints & STRATA_HINT_BYPASS_L1)
        return STRATA_OK; /* goes around the L1 */
    unsigned n = strata_coalesce(&c->coalescer, w, c->residents.warp[warp].local_base, request);
    for (unsigned i = 0; i < n && st == STRATA_OK; i++) {
        c->out->accesses += c->out->sectors ? popcount32(request[i].sectors) : 1;
        if (!c->kept[core])
            continue;
        if (!c->out->sectors)
            st = put(&c->out->sm[core], request[i].line >> c->coalescer.line_shift, err);
        else
            for (uint32_t m = request[i].sectors; m && st == STRATA_OK; m &= m - 1)
                st = put(&c->out->sm[core],
                         (request[i].line >> c->coalescer.sector_shift) + lowest_bit32(m), err);
    }
    return st;
}

/* Blocks are dealt before anything runs, so the SMs with work at the start are known: the first
 * blocks of the launch in turn. With fewer blocks than SMs only those count. */
static strata_status choose_sms(struct collector *c, uint32_t most, struct strata_error *err)
{
    struct learn_sm_streams *s = c->out;
    uint64_t blocks = strata_launch_blocks(c->residents.launch);
    uint32_t busy = 0, *order = calloc(s->n_sms, sizeof *order);
    bool *seen = calloc(s->n_sms, sizeof *seen);
    struct strata_dispatcher *d = NULL;
    strata_status st = order && seen ? strata_dispatcher_create(c->residents.gpu, blocks,
                                                                c->residents.places, NULL, &d, err)
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
    struct residents_options placing = {.loads_only = true};
    struct collector c = {.out = out};
    *out = (struct learn_sm_streams){.n_sms = gpu->sm.count, .sectors = sectors};
    out->sm = calloc(out->n_sms, sizeof *out->sm);
    c.kept = calloc(out->n_sms, sizeof *c.kept);
    strata_coalescer_init(&c.coalescer, gpu, strata_reader_launch(reader));
    strata_status st = residents_init(&c.residents, gpu, reader, &placing, err);
    if (st == STRATA_OK && (!out->sm || !c.kept))
        st = strata_no_memory(err, NULL, "for the SMs of a launch");
    if (st == STRATA_OK)
        st = choose_sms(&c, most, err);
    if (st == STRATA_OK) {
        out->l1_bytes = c.residents.occupancy.l1_bytes;
        st = queue_run(&c.residents, visit, &c, err);
    }
    residents_release(&c.residents);
    free(c.kept);
    if (st != STRATA_OK)
        learn_streams_release(out);
    return st;
}

void learn_streams_release(struct learn_sm_streams *s)
{
    for (uint32_t i = 0; s->sm && i < s->n_sms; i++)
        free(s->sm[i].line);
    free(s->sm);
    memset(s, 0, sizeof *s);
}
