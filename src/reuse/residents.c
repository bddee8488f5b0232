/* residents.c - places for blocks, and warps as recorded or formed anew. */
#include "reuse/residents.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/large_pages.h"
#include "sm/warp_rules.h"

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "for the resident warps of a launch");
}

static strata_status check_options(const struct residents_options *opt, uint32_t threads,
                                   struct strata_error *err)
{
    if (opt->warp_size > STRATA_WARP_SIZE)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "A warp of %u threads cannot be modelled; at most %d form one.",
                           opt->warp_size, STRATA_WARP_SIZE);
    if (opt->assignment == STRATA_WARPS_CUSTOM && opt->n_custom < threads)
        return strata_fail(
            err, STRATA_EUSAGE, NULL, 0, 0,
            "The assignment of threads to warps names %u positions, a block has %u threads.",
            opt->n_custom, threads);
    return STRATA_OK;
}

strata_status residents_init(struct residents *r, const struct strata_gpu *gpu,
                             struct strata_reader *reader, const struct residents_options *opt,
                             struct strata_error *err)
{
    memset(r, 0, sizeof *r);
    r->gpu = gpu;
    r->reader = reader;
    r->launch = strata_reader_launch(reader);
    r->opt = *opt;
    r->n_threads = strata_launch_threads_per_block(r->launch);
    strata_status st = check_options(opt, r->n_threads, err);
    if (st == STRATA_OK)
        st = strata_occupancy_compute(gpu, r->launch, &r->occupancy, err);
    if (st != STRATA_OK)
        return st;
    r->warp_size = opt->warp_size ? opt->warp_size : STRATA_WARP_SIZE;
    r->anew = r->warp_size != STRATA_WARP_SIZE || opt->assignment != STRATA_WARPS_LINEAR ||
              opt->by_ordinal;
    r->warps_per_block = (r->n_threads + r->warp_size - 1) / r->warp_size;
    r->places = r->occupancy.blocks_per_sm;
    r->n_cores = opt->one_core ? 1 : gpu->sm.count;
    if (!opt->one_core && !opt->round_robin && !opt->cores)
        st = strata_dispatcher_create(gpu, strata_launch_blocks(r->launch), r->places, NULL,
                                      &r->dispatcher, err);
    if (st != STRATA_OK)
        return st;
    size_t n_blocks = (size_t)r->n_cores * r->places;
    r->block = calloc(n_blocks, sizeof *r->block);
    r->warp = calloc(n_blocks * r->warps_per_block, sizeof *r->warp);
    large_pages_wish(r->warp, n_blocks * r->warps_per_block * sizeof *r->warp);
    r->resident = calloc(r->n_cores, sizeof *r->resident);
    if (r->block && r->warp && r->resident)
        return STRATA_OK;
    residents_release(r);
    return no_memory(err);
}

static void free_block(struct residents *r, struct resident_block *b)
{
    strata_block_destroy(b->data);
    b->data = NULL;
    for (uint32_t t = 0; b->thread && t < r->warps_per_block * r->warp_size; t++)
        free(b->thread[t].access);
    free(b->thread);
    b->thread = NULL;
}

void residents_release(struct residents *r)
{
    size_t n = (size_t)r->n_cores * r->places;
    for (size_t i = 0; r->block && i < n; i++)
        free_block(r, &r->block[i]);
    for (size_t i = 0; r->warp && i < n * r->warps_per_block; i++)
        strata_cursor_release(&r->warp[i].cursor);
    strata_block_destroy(r->waiting);
    free(r->block);
    free(r->warp);
    free(r->resident);
    strata_dispatcher_destroy(r->dispatcher);
    memset(r, 0, sizeof *r);
}

/* ---- warps formed anew ---- */

static bool wanted(const struct residents *r, const struct strata_winst *w)
{
    const struct strata_inst *i = w->inst;
    if (i->opclass != STRATA_OP_MEM || !w->mask || w->addr_kind == STRATA_ADDR_NONE)
        return false;
    if (i->space != STRATA_SPACE_GLOBAL && i->space != STRATA_SPACE_LOCAL &&
        i->space != STRATA_SPACE_TEXTURE)
        return false;
    return !r->opt.loads_only || i->memop == STRATA_MEM_LOAD || i->memop == STRATA_MEM_ASYNC_COPY;
}

static strata_status list_access(struct thread_list *l, const struct strata_inst *inst,
                                 uint64_t address, struct strata_error *err)
{
    if (!ARRAY_RESERVE(l->access, l->n, l->cap, 1))
        return no_memory(err);
    l->access[l->n++] = (struct thread_access){.address = address, .inst = inst};
    return STRATA_OK;
}

static strata_status list_threads(struct residents *r, struct resident_block *b,
                                  struct strata_error *err)
{
    struct strata_cursor cursor = {0};
    struct strata_winst w;
    uint64_t addr[STRATA_WARP_SIZE];
    strata_status st = STRATA_OK;
    uint32_t positions = r->warps_per_block * r->warp_size,
             n_warps = (positions + r->warp_size - 1) / r->warp_size;
    b->thread = calloc(positions, sizeof *b->thread);
    if (!b->thread)
        return no_memory(err);
    for (uint32_t k = 0; k < b->data->n_warps && st == STRATA_OK; k++) {
        st = strata_cursor_init(&cursor, b->data, k, err);
        while (st == STRATA_OK && strata_cursor_next(&cursor, &w)) {
            if (!wanted(r, &w))
                continue;
            strata_winst_addresses(&w, addr);
            for (uint32_t m = w.mask; m && st == STRATA_OK; m &= m - 1) {
                uint32_t lane = (uint32_t)__builtin_ctz(m), thread = k * STRATA_WARP_SIZE + lane,
                         at = thread;
                if (r->opt.assignment == STRATA_WARPS_STRIDED)
                    at = thread % n_warps * r->warp_size + thread / n_warps;
                else if (r->opt.assignment == STRATA_WARPS_CUSTOM)
                    at = r->opt.custom[thread];
                if (at < positions)
                    st = list_access(&b->thread[at], w.inst, addr[lane], err);
            }
        }
    }
    strata_cursor_release(&cursor);
    return st;
}

static bool next_of_lanes(struct resident_warp *w, struct strata_winst *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t l = 0; l < w->n_lanes; l++) {
        struct thread_list *t = &w->lane[l];
        w->addr[l] = 0;
        if (t->at == t->n)
            continue;
        if (!out->mask)
            out->inst = t->access[t->at].inst;
        w->addr[l] = t->access[t->at++].address;
        out->mask |= 1u << l;
    }
    out->addr_kind = STRATA_ADDR_LIST;
    out->addr = w->addr;
    return out->mask;
}

bool residents_next(struct residents *r, uint32_t index, struct strata_winst *out)
{
    struct resident_warp *w = &r->warp[index];
    if (w->lane)
        return next_of_lanes(w, out);
    while (strata_cursor_next(&w->cursor, out))
        if (wanted(r, out))
            return true;
    return false;
}

/* ---- blocks ---- */

static strata_status start_warps(struct residents *r, uint32_t place, residents_begin begin,
                                 void *context, struct strata_error *err)
{
    struct resident_block *b = &r->block[place];
    strata_status st = r->anew ? list_threads(r, b, err) : STRATA_OK;
    uint32_t n = r->anew ? r->warps_per_block : b->data->n_warps;
    if (n > r->warps_per_block)
        n = r->warps_per_block;
    for (uint32_t k = 0; k < n && st == STRATA_OK; k++) {
        uint32_t index = b->first_warp + k;
        struct resident_warp *w = &r->warp[index];
        w->block = place;
        w->live = true;
        w->local_base =
            sm_local_base(r->gpu, b->core, index - b->core * r->places * r->warps_per_block);
        w->lane = r->anew ? &b->thread[k * r->warp_size] : NULL;
        w->n_lanes = r->warp_size;
        if (!r->anew)
            st = strata_cursor_init(&w->cursor, b->data, k, err);
        if (st == STRATA_OK) {
            b->live_warps++;
            begin(context, b->core, index);
        }
    }
    if (st == STRATA_OK && !b->live_warps) { /* nothing recorded of it */
        free_block(r, b);
        r->resident[b->core]--;
    }
    return st;
}

static strata_status start_block(struct residents *r, uint32_t core, struct strata_block *data,
                                 residents_begin begin, void *context, struct strata_error *err)
{
    uint32_t place = core * r->places;
    while (r->block[place].data)
        place++;
    r->block[place] = (struct resident_block){
        .data = data, .index = data->index, .core = core, .first_warp = place * r->warps_per_block};
    r->resident[core]++;
    return start_warps(r, place, begin, context, err);
}

/* Reads the next block that is to be modelled into r->waiting. */
static strata_status read_block(struct residents *r, struct strata_error *err)
{
    while (!r->over && !r->waiting) {
        struct strata_block *data;
        strata_status st = strata_reader_next_ordered(r->reader, &data, err);
        if (st == STRATA_END) {
            r->over = true;
            return STRATA_OK;
        }
        if (st != STRATA_OK)
            return st;
        r->blocks_begun++;
        uint32_t core = r->opt.one_core ? 0 : (uint32_t)(data->index % r->n_cores);
        bool beyond = r->opt.max_threads && (data->index + 1) * r->n_threads > r->opt.max_threads;
        if (beyond || (r->opt.cores && core >= r->opt.cores)) {
            strata_block_destroy(data);
            r->over |= beyond;
            continue;
        }
        r->waiting = data;
        r->waiting_core = core;
    }
    return STRATA_OK;
}

/* Static dealing: the next block in order waits for its own core; where all cores are modelled and
 * its own is full, the first core that frees a place takes it. A set that has begun to fill in this
 * call is filled whole. */
static bool core_for_waiting(const struct residents *r, bool began, uint32_t *core)
{
    *core = r->waiting_core;
    if (r->opt.whole_sets)
        return (began || !r->resident[*core]) && r->resident[*core] < r->places;
    if (r->resident[*core] < r->places)
        return true;
    for (uint32_t c = 0; c < r->n_cores && !r->opt.cores && !r->opt.one_core; c++)
        if (r->resident[c] < r->places) {
            *core = c;
            return true;
        }
    return false;
}

static strata_status start_waiting(struct residents *r, uint32_t core, residents_begin begin,
                                   void *context, struct strata_error *err)
{
    struct strata_block *data = r->waiting;
    r->waiting = NULL;
    return start_block(r, core, data, begin, context, err);
}

static strata_status fill_static(struct residents *r, residents_begin begin, void *context,
                                 struct strata_error *err)
{
    uint32_t core;
    bool began = false;
    strata_status st = read_block(r, err);
    while (st == STRATA_OK && r->waiting && core_for_waiting(r, began, &core)) {
        began = true;
        st = start_waiting(r, core, begin, context, err);
        if (st == STRATA_OK)
            st = read_block(r, err);
    }
    return st;
}

static strata_status fill_dispatched(struct residents *r, residents_begin begin, void *context,
                                     struct strata_error *err)
{
    uint64_t block;
    uint32_t core;
    strata_status st = STRATA_OK;
    /* Blocks that were not recorded take no place: a grid may claim billions. */
    while (st == STRATA_OK && !r->over && strata_dispatcher_first(r->dispatcher, &block, &core)) {
        st = read_block(r, err);
        if (st == STRATA_OK && r->waiting)
            st = start_waiting(r, core, begin, context, err);
    }
    for (core = 0; core < r->n_cores && st == STRATA_OK; core++)
        while (st == STRATA_OK && !r->over && r->resident[core] < r->places &&
               strata_dispatcher_release(r->dispatcher, core, &block)) {
            st = read_block(r, err);
            if (st == STRATA_OK && r->waiting)
                st = start_waiting(r, core, begin, context, err);
        }
    return st;
}

strata_status residents_fill(struct residents *r, residents_begin begin, void *context,
                             struct strata_error *err)
{
    return r->dispatcher ? fill_dispatched(r, begin, context, err)
                         : fill_static(r, begin, context, err);
}

bool residents_end(struct residents *r, uint32_t index)
{
    struct resident_warp *w = &r->warp[index];
    struct resident_block *b = &r->block[w->block];
    w->live = false;
    if (--b->live_warps)
        return false;
    free_block(r, b);
    r->resident[b->core]--;
    return true;
}
