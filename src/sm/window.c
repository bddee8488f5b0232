/* window.c - regions of a warp. */
#include "sm/window.h"

#include <stdlib.h>
#include <string.h>

static strata_status no_memory(struct strata_error *err)
{
    return strata_fail(err, STRATA_ENOMEM, NULL, 0, 0, "There is no memory left for the instructions of the resident warps.");
}

void sm_window_release(struct sm_window *w)
{
    free(w->entry);
    free(w->inst);
    free(w->list);
    free(w->list_of);
    memset(w, 0, sizeof *w);
}

static bool reserve(struct sm_window *w, size_t n)
{
    if (n <= w->cap)
        return true;
    size_t cap = n < 16 ? 16 : n + n / 2;
    struct strata_winst *entry = realloc(w->entry, cap * sizeof *entry);
    w->entry = entry ? entry : w->entry;
    uint32_t *inst = realloc(w->inst, cap * sizeof *inst), *list_of = realloc(w->list_of, cap * sizeof *list_of);
    w->inst = inst ? inst : w->inst;
    w->list_of = list_of ? list_of : w->list_of;
    if (!entry || !inst || !list_of)
        return false;
    w->cap = cap;
    return true;
}

static bool reserve_list(struct sm_window *w)
{
    if (w->n_lists < w->cap_lists)
        return true;
    size_t cap = w->cap_lists ? w->cap_lists * 2 : 2;
    void *list = realloc(w->list, cap * sizeof *w->list);
    if (!list)
        return false;
    w->list = list;
    w->cap_lists = cap;
    return true;
}

/* Entry k is what the cursor has just read; its addresses are the cursor's until it goes on. */
static bool keep(struct sm_window *w, uint32_t k)
{
    w->inst[k] = w->entry[k].inst_index;
    w->list_of[k] = 0;
    if (w->entry[k].addr_kind != STRATA_ADDR_LIST)
        return true;
    if (!reserve_list(w))
        return false;
    memcpy(w->list[w->n_lists], w->entry[k].addr, sizeof w->list[0]);
    w->list_of[k] = ++w->n_lists;
    return true;
}

/* The entry that was read too far becomes the first. */
static void carry_over(struct sm_window *w)
{
    uint32_t from = w->n;
    w->n = 0;
    if (w->ahead) {
        uint32_t list = w->list_of[from];
        w->entry[0] = w->entry[from];
        w->inst[0] = w->inst[from];
        w->list_of[0] = list ? 1 : 0;
        if (list > 1)
            memcpy(w->list[0], w->list[list - 1], sizeof w->list[0]);
        w->n_lists = list ? 1 : 0;
        w->n = 1;
    } else {
        w->n_lists = 0;
    }
    w->ahead = false;
}

/* A region goes on as long as the code is straight. */
static bool goes_on(const struct sm_window *w)
{
    if (!w->n)
        return true;
    return w->n < SM_MAX_REGION && !sm_ends_region(w->entry[w->n - 1].inst);
}

static bool follows(const struct sm_window *w)
{
    return !w->n || w->entry[w->n].inst->pc >= w->entry[w->n - 1].inst->pc;
}

static strata_status fill(struct sm_window *w, struct strata_cursor *c, struct strata_error *err)
{
    carry_over(w);
    w->at = 0;
    while (goes_on(w)) {
        if (!reserve(w, w->n + 1))
            return no_memory(err);
        if (!strata_cursor_next(c, &w->entry[w->n]))
            return w->n ? STRATA_OK : STRATA_END;
        if (!keep(w, w->n))
            return no_memory(err);
        if (!follows(w)) {
            w->ahead = true;
            return STRATA_OK;
        }
        w->n++;
    }
    return STRATA_OK;
}

strata_status sm_window_next(struct sm_window *w, struct strata_cursor *c, struct sm_scheduler *s, struct strata_winst *out,
                             uint32_t *place, struct strata_error *err)
{
    if (w->at == w->n) {
        strata_status st = fill(w, c, err);
        if (st == STRATA_OK)
            st = sm_scheduler_order(s, w->inst, w->n, &w->order, err);
        if (st != STRATA_OK)
            return st;
    }
    uint32_t k = w->order[w->at];
    *out = w->entry[k];
    if (w->list_of[k])
        out->addr = w->list[w->list_of[k] - 1];
    *place = w->inst[w->at++];
    return STRATA_OK;
}
