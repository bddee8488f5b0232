/* dispatch.c - blocks to SMs over the time of a launch: the first ones by deal.c's order, every
 * later one to the SM where a block has ended. */
#include <stdlib.h>
#include <string.h>

#include "place/place.h"

struct strata_dispatcher {
    const struct strata_gpu *gpu; /* borrowed */
    struct strata_dispatch_state state;
    uint64_t blocks, next;
    uint64_t n_first;
    uint32_t last_sm; /* where the last block went, if one went to a freed slot */
    bool freed;
    uint16_t first_sm[]; /* n_first entries */
};

strata_status strata_dispatcher_create(const struct strata_gpu *gpu, uint64_t blocks,
                                       uint32_t blocks_per_sm,
                                       const struct strata_dispatch_state *state,
                                       struct strata_dispatcher **out, struct strata_error *err)
{
    *out = NULL;
    uint64_t room = (uint64_t)sm_count(gpu) * (blocks_per_sm ? blocks_per_sm : 1);
    uint64_t n_first = blocks < room ? blocks : room;
    struct strata_dispatcher *d = calloc(1, sizeof *d + n_first * sizeof d->first_sm[0]);
    if (!d)
        return strata_no_memory(err, gpu->name, "to place %llu blocks",
                                (unsigned long long)n_first);
    d->gpu = gpu;
    d->blocks = blocks;
    d->n_first = n_first;
    if (state)
        d->state = *state;
    strata_status status =
        deal_blocks(gpu, n_first, blocks_per_sm ? blocks_per_sm : 1, &d->state, d->first_sm, err);
    if (status == STRATA_OK)
        *out = d;
    else
        free(d);
    return status;
}

void strata_dispatcher_destroy(struct strata_dispatcher *d)
{
    free(d);
}

bool strata_dispatcher_first(struct strata_dispatcher *d, uint64_t *block, uint32_t *sm)
{
    if (d->next >= d->n_first)
        return false;
    *sm = d->first_sm[d->next];
    *block = d->next++;
    return true;
}

bool strata_dispatcher_release(struct strata_dispatcher *d, uint32_t sm, uint64_t *block)
{
    if (d->next < d->n_first || d->next >= d->blocks)
        return false;
    d->last_sm = sm;
    d->freed = true;
    *block = d->next++;
    return true;
}

void strata_dispatcher_state(const struct strata_dispatcher *d, struct strata_dispatch_state *out)
{
    *out = d->state;
    if (d->freed)
        after_block(d->gpu, d->last_sm, out);
}
