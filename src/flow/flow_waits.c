/* flow_waits.c - for whom warps wait: kept beside the scoreboards, and only if somebody asks. */
#include "flow/flow_waits.h"

#include <stdlib.h>
#include <string.h>

#include "flow/flow_engine.h"

/* Instructions by their index; those that registers and barriers of a warp were last taken by. */
struct waits_warp {
    uint32_t *writer; /* by register */
    uint32_t n_registers;
    uint32_t taker[SM_N_BARRIERS];
    uint32_t free_at[SM_N_BARRIERS]; /* of the barriers, before the last instruction */
    uint32_t awaited;                /* by the next instruction */
    uint32_t last;                   /* issued */
};

struct flow_waits {
    const struct strata_wait_sink *sink;
    struct waits_warp *warp;
    uint32_t n_warps;
};

struct flow_waits *flow_waits_create(const struct strata_wait_sink *sink, uint32_t n_warps)
{
    struct flow_waits *w = calloc(1, sizeof *w);
    struct waits_warp *warp = calloc(n_warps ? n_warps : 1, sizeof *warp);
    if (!w || !warp) {
        free(w);
        free(warp);
        return NULL;
    }
    *w = (struct flow_waits){sink, warp, n_warps};
    return w;
}

void flow_waits_destroy(struct flow_waits *w)
{
    if (!w)
        return;
    for (uint32_t i = 0; i < w->n_warps; i++)
        free(w->warp[i].writer);
    free(w->warp);
    free(w);
}

bool flow_waits_start(struct flow_waits *w, uint32_t index, uint32_t n_registers)
{
    struct waits_warp *x = &w->warp[index];
    if (n_registers > x->n_registers) {
        uint32_t *grown = realloc(x->writer, n_registers * sizeof *grown);
        if (!grown)
            return false;
        x->writer = grown;
        x->n_registers = n_registers;
    }
    for (uint32_t r = 0; r < x->n_registers; r++)
        x->writer[r] = STRATA_WAIT_NOBODY;
    for (uint32_t k = 0; k < SM_N_BARRIERS; k++)
        x->taker[k] = STRATA_WAIT_NOBODY;
    x->awaited = x->last = STRATA_WAIT_NOBODY;
    return true;
}

/* The register, or the barrier, that is there no earlier than the wait ends tells whose result it
 * is; STRATA_WAIT_NOBODY if none is. */
static uint32_t producer(const struct waits_warp *x, const struct sm_scoreboard *s,
                         const struct sm_inst *i, uint64_t ready)
{
    if (i->control.known) {
        for (unsigned k = 0; k < SM_N_BARRIERS; k++)
            if (i->control.wait_mask >> k & 1 && s->barriers.free_at[k] == ready)
                return x->taker[k];
        return STRATA_WAIT_NOBODY;
    }
    for (unsigned k = 0; k < i->n_read; k++)
        if (s->ready[sm_register_place(i->read[k])] == ready)
            return x->writer[i->read[k]];
    for (unsigned k = 0; k < i->n_write; k++)
        if (s->ready[sm_register_place(i->write[k])] == ready)
            return x->writer[i->write[k]];
    return STRATA_WAIT_NOBODY;
}

void flow_waits_find(struct flow_waits *w, const struct flow_engine *e, uint32_t index)
{
    const struct flow_warp *warp = &e->warp[index];
    struct waits_warp *x = &w->warp[index];
    uint32_t whose = warp->wait.stall == SM_STALL_LONG || warp->wait.stall == SM_STALL_SHORT ||
                             warp->wait.stall == SM_STALL_WAIT
                         ? producer(x, &warp->scoreboard, warp->op, warp->wait.ready)
                         : STRATA_WAIT_NOBODY;
    x->awaited = whose != STRATA_WAIT_NOBODY ? whose : warp->next.inst_index;
}

/* Who is charged with a wait until the next instruction could issue: at a barrier the barrier, for
 * a fixed gap the instruction before it, for code that is fetched nobody. */
static uint32_t charged(const struct waits_warp *x, uint8_t stall)
{
    if (stall == SM_STALL_FETCH)
        return STRATA_WAIT_NOBODY;
    return stall == SM_STALL_BARRIER || stall == SM_STALL_NONE ? x->last : x->awaited;
}

static void tell(const struct flow_waits *w, uint32_t inst, uint64_t from, uint64_t to)
{
    if (to > from)
        w->sink->waited(w->sink->context, inst, to - from);
}

void flow_waits_issue(struct flow_waits *w, const struct flow_engine *e, uint32_t index, uint64_t t,
                      enum sm_stall held_by)
{
    const struct flow_warp *warp = &e->warp[index];
    struct waits_warp *x = &w->warp[index];
    bool unit_is_busy =
        held_by == SM_STALL_LG || held_by == SM_STALL_MIO || held_by == SM_STALL_MATH;
    tell(w, charged(x, warp->wait.stall), warp->last_issue, warp->wait.ready);
    tell(w, unit_is_busy ? warp->next.inst_index : STRATA_WAIT_NOBODY,
         warp->wait.ready > warp->last_issue ? warp->wait.ready : warp->last_issue, t);
    x->last = warp->next.inst_index;
    memcpy(x->free_at, warp->scoreboard.barriers.free_at, sizeof x->free_at);
    for (unsigned k = 0; !warp->op->control.known && k < warp->op->n_write; k++)
        x->writer[warp->op->write[k]] = x->last;
}

void flow_waits_took(struct flow_waits *w, const struct flow_engine *e, uint32_t index)
{
    const struct sm_barriers *b = &e->warp[index].scoreboard.barriers;
    struct waits_warp *x = &w->warp[index];
    for (unsigned k = 0; k < SM_N_BARRIERS; k++)
        if (b->free_at[k] != x->free_at[k])
            x->taker[k] = x->last;
}
