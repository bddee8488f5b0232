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

/* One more entry: what the cursor reads next. */
static strata_status read_entry(struct sm_window *w, struct strata_cursor *c,
                                struct strata_error *err)
{
    struct strata_winst read;
    if (!ARRAY_RESERVE(w->entry, w->n_read, w->cap, 1))
        return no_memory(err);
    if (!strata_cursor_next(c, &read))
        return STRATA_END;
    struct sm_entry *e = &w->entry[w->n_read];
    *e = (struct sm_entry){
        .base = read.base, .inst = read.inst_index, .mask = read.mask, .stride = read.stride};
    if (read.addr_kind == STRATA_ADDR_STRIDE)
        e->addresses = SM_AFFINE;
    if (read.addr_kind == STRATA_ADDR_LIST) {
        if (!ARRAY_RESERVE(w->list, w->n_lists, w->cap_lists, 1))
            return no_memory(err);
        memcpy(w->list[w->n_lists], read.addr, sizeof w->list[0]);
        e->addresses = SM_LIST + w->n_lists++;
    }
    w->n_read++;
    return STRATA_OK;
}

/* The entries that were read too far become the first. */
static void carry_over(struct sm_window *w)
{
    uint32_t lists = 0;
    for (uint32_t i = w->n; i < w->n_read; i++) {
        struct sm_entry *e = &w->entry[i - w->n];
        *e = w->entry[i];
        if (e->addresses < SM_LIST)
            continue;
        if (e->addresses - SM_LIST != lists)
            memcpy(w->list[lists], w->list[e->addresses - SM_LIST], sizeof w->list[0]);
        e->addresses = SM_LIST + lists++;
    }
    w->n_read -= w->n;
    w->n = w->at = 0;
    w->n_lists = lists;
}

/* ---- a region ---- */

/* What a region is made of while it is read. A loop within it begins at `head` and has `body`
 * instructions, 0 as long as none is known; of it there are `rounds`, and at most `most`. */
struct region_reader {
    struct sm_window *w;
    struct strata_cursor *c;
    struct sm_scheduler *s;
    uint32_t head, body, rounds, most;
};

static const struct strata_inst *inst_at(const struct region_reader *r, uint32_t k)
{
    return strata_code_get(r->s->decoder->code, r->w->entry[k].inst);
}

/* Entry n is there to be looked at. */
static strata_status look_ahead(struct region_reader *r, struct strata_error *err)
{
    return r->w->n < r->w->n_read ? STRATA_OK : read_entry(r->w, r->c, err);
}

static void take(struct region_reader *r)
{
    r->s->reading[r->w->n] = r->w->entry[r->w->n].inst;
    r->w->n++;
}

/* The place of the region that its last instruction jumps back to, or n. */
static uint32_t jumps_to(const struct region_reader *r)
{
    const struct sm_window *w = r->w;
    uint32_t k = 0;
    if (inst_at(r, w->n)->pc > inst_at(r, w->n - 1)->pc)
        return w->n;
    while (k < w->n && w->entry[k].inst != w->entry[w->n].inst)
        k++;
    return k;
}

/* The first branch of the region leads back into it: there its loop begins. ptxas schedules up to
 * where a loop begins and not beyond, unless it is unrolled as a whole. */
static bool enters_loop(struct region_reader *r, uint32_t to)
{
    struct sm_window *w = r->w;
    r->head = to;
    r->body = w->n - to;
    r->most = sm_scheduler_rounds(r->s, r->s->reading + to, r->body);
    if (!to || r->most == STRATA_ALL_ROUNDS)
        return true;
    w->n = to;
    return false;
}

/* Whether the loop goes on with all lanes, and there is room for another round. */
static bool has_next_round(const struct region_reader *r)
{
    const struct sm_window *w = r->w;
    return w->entry[w->n].inst == w->entry[r->head].inst &&
           w->entry[w->n - 1].mask == w->entry[r->head].mask && w->n + r->body <= SM_MAX_REGION &&
           r->rounds < r->most;
}

/* Behind a loop that ptxas unrolls as a whole straight code goes on. What is left of four rounds is
 * two in one and a single one. */
static bool leaves_loop(struct region_reader *r)
{
    enum { AT_ONCE = 2 };
    struct sm_window *w = r->w;
    bool left = inst_at(r, w->n)->pc > inst_at(r, w->n - 1)->pc;
    if (left && r->most == STRATA_ALL_ROUNDS) {
        r->body = 0, r->rounds = 1;
        return true;
    }
    if (left && r->rounds > AT_ONCE && r->rounds < r->most)
        w->n = r->head + AT_ONCE * r->body;
    return false;
}

/* Whether the region goes on behind a branch. */
static bool goes_on(struct region_reader *r)
{
    if (!r->body) {
        uint32_t to = jumps_to(r);
        if (to == r->w->n || !enters_loop(r, to))
            return false;
    }
    if (!has_next_round(r))
        return leaves_loop(r);
    r->rounds++;
    return true;
}

static strata_status fill(struct sm_window *w, struct strata_cursor *c, struct sm_scheduler *s,
                          struct strata_error *err)
{
    struct region_reader r = {.w = w, .c = c, .s = s, .rounds = 1};
    carry_over(w);
    while (w->n < SM_MAX_REGION) {
        strata_status st = look_ahead(&r, err);
        if (st != STRATA_OK)
            return st == STRATA_END && w->n ? STRATA_OK : st;
        if (w->n && sm_ends_region(inst_at(&r, w->n - 1))) {
            if (inst_at(&r, w->n - 1)->opclass != STRATA_OP_BRANCH || !goes_on(&r))
                return STRATA_OK;
        } else if (w->n && inst_at(&r, w->n)->pc < inst_at(&r, w->n - 1)->pc)
            return STRATA_OK;
        take(&r);
    }
    return STRATA_OK;
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
