/* window.c - regions of a warp. */
#include "sm/window.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "for the instructions of the resident warps");
}

void sm_window_release(struct sm_window *w)
{
    free(w->entry);
    free(w->list);
    memset(w, 0, sizeof *w);
}

/* Entry n is what the cursor reads next; its addresses are the cursor's until it goes on. */
static strata_status read_entry(struct sm_window *w, struct strata_cursor *c,
                                struct strata_winst *read, struct strata_error *err)
{
    if (!ARRAY_RESERVE(w->entry, w->n, w->cap, 1))
        return no_memory(err);
    if (!strata_cursor_next(c, read))
        return STRATA_END;
    struct sm_entry *e = &w->entry[w->n];
    *e = (struct sm_entry){
        .base = read->base, .inst = read->inst_index, .mask = read->mask, .stride = read->stride};
    if (read->addr_kind == STRATA_ADDR_STRIDE)
        e->addresses = SM_AFFINE;
    if (read->addr_kind != STRATA_ADDR_LIST)
        return STRATA_OK;
    if (!ARRAY_RESERVE(w->list, w->n_lists, w->cap_lists, 1))
        return no_memory(err);
    memcpy(w->list[w->n_lists], read->addr, sizeof w->list[0]);
    e->addresses = SM_LIST + w->n_lists++;
    return STRATA_OK;
}

/* The entry that was read too far becomes the first. */
static void carry_over(struct sm_window *w)
{
    struct sm_entry *e = &w->entry[w->n];
    uint32_t lists = 0;
    if (w->ahead && e->addresses >= SM_LIST) {
        memmove(w->list[0], w->list[e->addresses - SM_LIST], sizeof w->list[0]);
        e->addresses = SM_LIST;
        lists = 1;
    }
    if (w->ahead)
        w->entry[0] = *e;
    w->n = w->ahead ? 1 : 0;
    w->n_lists = lists;
    w->at = 0;
    w->ahead = false;
}

/* The region's last instruction jumps with all lanes to its first, and there is room for another
 * round of `body` instructions. */
static bool repeats(const struct sm_window *w, struct sm_scheduler *s,
                    const struct strata_inst *last, uint32_t body, uint32_t rounds)
{
    return last->opclass == STRATA_OP_BRANCH && w->entry[w->n - 1].mask == w->entry[0].mask &&
           w->n + body <= SM_MAX_REGION && rounds < sm_scheduler_rounds(s, s->reading, body);
}

static strata_status fill(struct sm_window *w, struct strata_cursor *c, struct sm_scheduler *s,
                          struct strata_error *err)
{
    uint32_t body = 0, rounds = 1;
    struct strata_winst read;
    carry_over(w);
    const struct strata_inst *last =
        w->n ? strata_code_get(s->decoder->code, w->entry[0].inst) : NULL;
    s->reading[0] = w->n ? w->entry[0].inst : 0;
    for (;;) {
        bool closed = last && sm_ends_region(last), again = false;
        if (closed) {
            body = body ? body : w->n;
            again = repeats(w, s, last, body, rounds);
        }
        if ((closed && !again) || w->n == SM_MAX_REGION)
            return STRATA_OK;
        strata_status st = read_entry(w, c, &read, err);
        if (st != STRATA_OK)
            return st == STRATA_END && w->n ? STRATA_OK : st;
        if (last && (again ? read.inst_index != s->reading[0] : read.inst->pc < last->pc)) {
            w->ahead = true;
            return STRATA_OK;
        }
        rounds += again;
        last = read.inst;
        s->reading[w->n++] = read.inst_index;
    }
}

static void hand_out(const struct sm_window *w, const struct sm_scheduler *s,
                     const struct sm_entry *e, struct strata_winst *out)
{
    static const uint8_t kind[] = {STRATA_ADDR_NONE, STRATA_ADDR_STRIDE, STRATA_ADDR_LIST};
    *out = (struct strata_winst){.inst = strata_code_get(s->decoder->code, e->inst),
                                 .inst_index = e->inst,
                                 .mask = e->mask,
                                 .addr_kind = kind[e->addresses < SM_LIST ? e->addresses : SM_LIST],
                                 .stride = e->stride,
                                 .base = e->base};
    if (e->addresses >= SM_LIST)
        out->addr = w->list[e->addresses - SM_LIST];
}

strata_status sm_window_next(struct sm_window *w, struct strata_cursor *c, struct sm_scheduler *s,
                             struct sm_step *out, struct strata_error *err)
{
    if (w->at == w->n) {
        strata_status st = fill(w, c, s, err);
        if (st == STRATA_OK)
            st = sm_scheduler_region(
                s, s->reading, w->n,
                (struct sm_accesses){w->entry, (const uint64_t(*)[STRATA_WARP_SIZE])w->list},
                &w->region, err);
        if (st != STRATA_OK)
            return st;
    }
    const struct sm_region *r = w->region;
    uint32_t k = r->order[w->at];
    hand_out(w, s, &w->entry[k], &out->winst);
    out->op = &r->op[k];
    out->gone = w->at < r->n_gone;
    out->place = r->inst[w->at++];
    return STRATA_OK;
}
