/* request_coalescer.h - SMs of one group that ask for the same sectors share the answer.
 *
 * On the H200 a GPC merges equal requests until the data is xbar.coalescer_return cycles from the
 * SM (probe merge). A request for another line takes the entry over. Only equal requests merge:
 * neighbours whose halos overlap in part of a line never do. With xbar.coalescer_one_part a line
 * has one entry: a request for other sectors of it goes on alone, and so do all that follow while
 * the first is on its way (join_probe.cu, parts: of two readers of one sector and two of another
 * 3.6 requests go on, of four and four 7.3, as the order of their arrival gives). Where it is the
 * SM of the first request that asks for the others, the next request begins an entry of its own:
 * shifted_probe.cu, cross, shift 16: of a line that one SM asks for in two halves and two
 * neighbours as a whole 3.1 to 3.3 requests and 9.2 to 9.5 sectors go on, where 4 and 12 would if
 * nobody merged. How long an entry is open is the caller's clock to say.
 *
 * With xbar.coalescer_side any SM on the same side of the L2 that asks for other sectors keeps
 * those that follow from merging, not those of its GPC alone: parted_probe.cu (h200-parted.csv):
 * of three SMs of a GPC that read a sector of 64 lines the third, 100 to 500 cycles later, shares
 * all answers of the others if nobody, or an SM of a GPC of the other side, reads another sector of
 * the lines meanwhile; if one of another GPC of their own side does it shares none, or up to
 * two thirds of them, as their requests meet. Here it shares none that come behind.
 *
 * As many lines as xbar.coalescer_lines are remembered, of bulk copies xbar.coalescer_bulk_lines:
 * step_probe.cu, cyclic, has blocks read the same lines past the L1 in bursts, and with 256 lines
 * twice as many requests go on as on the card. */
#ifndef STRATA_MEMORY_REQUEST_COALESCER_H
#define STRATA_MEMORY_REQUEST_COALESCER_H

#include <stddef.h>
#include <strata/status.h>

#include "memory/address_map.h"

struct open_request { /* a line on its way to a group of SMs */
    uint64_t line;
    uint64_t until;   /* requests before then merge */
    uint64_t arrival; /* of its data */
    uint32_t sectors;
    uint32_t room; /* requests that may still share the answer */
    uint32_t node; /* the caller's */
    bool parts;    /* other sectors of the line were asked for meanwhile: nobody merges any more */
};
struct asked_line { /* a line on its way to a side of the L2 */
    uint64_t line, until;
    uint32_t sectors, sm; /* of the first request */
    bool parts;           /* another SM has asked for other sectors since */
};
struct request_coalescer {
    struct open_request *open;  /* NULL: requests do not merge */
    struct asked_line *asked;   /* by side; NULL: sides do not matter */
    uint32_t n_groups, size;    /* entries of a group */
    uint32_t lines, bulk_lines; /* of them, those for loads and for bulk copies */
    bool one_part;              /* a line has one entry, whatever sectors of it are asked for */
};
/* What becomes of a request: it goes on and others may merge with it, it shares the answer of one
 * before it, or it goes on and nobody else has anything of it. */
enum request_fate { REQUEST_OPENS, REQUEST_MERGES, REQUEST_ALONE };
strata_status request_coalescer_init(struct request_coalescer *c, const struct strata_gpu *gpu,
                                     struct strata_error *err);
void request_coalescer_release(struct request_coalescer *c);

static inline uint32_t request_coalescer_group(const struct request_coalescer *c,
                                               const struct strata_gpu *gpu, uint32_t sm)
{
    uint32_t scope = gpu->xbar.request_coalescer_scope;
    return scope ? sm / scope % c->n_groups : address_map_gpc(gpu, sm);
}
/* The entry that a request of a group meets. */
static inline struct open_request *request_coalescer_entry(const struct request_coalescer *c,
                                                           uint32_t group, uint64_t line,
                                                           uint32_t sectors, bool bulk)
{
    uint32_t lines = bulk ? c->bulk_lines : c->lines;
    uint64_t hash = mix64((line >> 7) * 16 + (c->one_part ? 15 : sectors)) >> 20;
    return &c->open[(size_t)group * c->size + (hash & (lines - 1))];
}
/* What a side of the L2 knows of a line; NULL: sides do not matter. */
static inline struct asked_line *request_coalescer_asked(const struct request_coalescer *c,
                                                         uint32_t side, uint64_t line)
{
    uint64_t hash = mix64(line >> 7) >> 20;
    return c->asked ? &c->asked[(size_t)side * c->lines + (hash & (c->lines - 1))] : NULL;
}
/* An SM asks for sectors of a line at t: is it the first to ask for others than those on their way?
 */
static inline bool asked_line_parts(struct asked_line *a, uint64_t line, uint32_t sectors,
                                    uint32_t sm, uint64_t t)
{
    if (a->line != line || t >= a->until)
        *a = (struct asked_line){.line = line, .until = t + 1, .sectors = sectors, .sm = sm};
    bool parts = !a->parts && a->sectors != sectors && a->sm != sm;
    a->parts |= parts;
    return parts;
}
/* What becomes of a request that meets an entry, which is open or not; `own`: the SM that opened it
 * asks again. A merged one takes its place there. */
static inline enum request_fate request_coalescer_meet(const struct request_coalescer *c,
                                                       struct open_request *e, uint64_t line,
                                                       uint32_t sectors, bool own, bool open)
{
    if (e->line != line || !open)
        return REQUEST_OPENS;
    if (c->one_part && e->sectors != sectors) {
        e->parts |= !own;
        e->until = own && !e->parts ? 0 : e->until;
    }
    if (!e->until)
        return REQUEST_ALONE;
    if (e->parts)
        return REQUEST_ALONE;
    if (e->sectors != sectors || !e->room)
        return REQUEST_OPENS;
    e->room--;
    return REQUEST_MERGES;
}
/* A request goes on at t and others may merge with it for a while. */
static inline void request_coalescer_open(struct open_request *e, const struct strata_gpu *gpu,
                                          uint64_t line, uint32_t sectors, uint64_t t,
                                          uint32_t node)
{
    uint32_t requests = gpu->xbar.request_coalescer_requests;
    *e = (struct open_request){.line = line,
                               .sectors = sectors,
                               .until = t + gpu->xbar.request_coalescer_window_cycles,
                               .room = requests ? requests - 1 : UINT32_MAX,
                               .node = node};
}
/* Its answer is known; those that come until the data is about to reach the SM share it. */
static inline void request_coalescer_answered(struct open_request *e, uint64_t arrival,
                                              uint64_t open_until)
{
    e->arrival = arrival;
    if (open_until > e->until)
        e->until = open_until;
}

#endif
