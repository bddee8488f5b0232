/* dispatch.c - blocks to SMs over the time of a launch: the first ones by deal.c's order, every
 * later one to the SM where a block has ended; clusters by cluster_places.c's, as soon as a GPC has
 * room for one. */
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
    uint32_t waiting_at; /* the next block of the cluster that found room last */
    uint16_t waiting_sm[CLUSTER_MOST_BLOCKS];
    struct cluster_places clusters; /* of size 0: the launch has none */
    uint16_t first_sm[];            /* room for the blocks that fit at once */
};

/* Clusters that fit nowhere, which a GPU without GPCs may be asked for, are dealt as blocks. */
static strata_status deal_first(struct strata_dispatcher *d, uint64_t room, uint32_t blocks_per_sm,
                                uint32_t cluster, struct strata_error *err)
{
    if (cluster > 1 && cluster <= CLUSTER_MOST_BLOCKS && d->blocks % cluster == 0) {
        cluster_places_init(&d->clusters, d->gpu, cluster, blocks_per_sm);
        d->n_first = cluster *
                     cluster_places_deal(&d->clusters, d->blocks / cluster, &d->state, d->first_sm);
        if (d->n_first || !d->blocks)
            return STRATA_OK;
    }
    d->clusters.size = 0;
    d->n_first = room;
    return deal_blocks(d->gpu, room, blocks_per_sm, &d->state, d->first_sm, err);
}

strata_status strata_dispatcher_create_clusters(const struct strata_gpu *gpu, uint64_t blocks,
                                                uint32_t blocks_per_sm, uint32_t cluster,
                                                const struct strata_dispatch_state *state,
                                                struct strata_dispatcher **out,
                                                struct strata_error *err)
{
    *out = NULL;
    blocks_per_sm = blocks_per_sm ? blocks_per_sm : 1;
    uint64_t room = (uint64_t)sm_count(gpu) * blocks_per_sm;
    room = blocks < room ? blocks : room;
    struct strata_dispatcher *d = calloc(1, sizeof *d + room * sizeof d->first_sm[0]);
    if (!d)
        return strata_no_memory(err, gpu->name, "to place %llu blocks", (unsigned long long)room);
    d->gpu = gpu;
    d->blocks = blocks;
    if (state)
        d->state = *state;
    strata_status status = deal_first(d, room, blocks_per_sm, cluster, err);
    if (status == STRATA_OK)
        *out = d;
    else
        free(d);
    return status;
}

strata_status strata_dispatcher_create(const struct strata_gpu *gpu, uint64_t blocks,
                                       uint32_t blocks_per_sm,
                                       const struct strata_dispatch_state *state,
                                       struct strata_dispatcher **out, struct strata_error *err)
{
    return strata_dispatcher_create_clusters(gpu, blocks, blocks_per_sm, 1, state, out, err);
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
    if (d->clusters.size) {
        cluster_places_release(&d->clusters, sm);
        return false;
    }
    if (d->next < d->n_first || d->next >= d->blocks)
        return false;
    d->last_sm = sm;
    d->freed = true;
    *block = d->next++;
    return true;
}

bool strata_dispatcher_waiting(struct strata_dispatcher *d, uint64_t *block, uint32_t *sm)
{
    if (!d->clusters.size || d->next < d->n_first || d->next >= d->blocks)
        return false;
    if (d->waiting_at == d->clusters.size || !d->freed) {
        if (!cluster_places_next(&d->clusters, d->waiting_sm))
            return false;
        d->waiting_at = 0;
    }
    d->last_sm = *sm = d->waiting_sm[d->waiting_at++];
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
