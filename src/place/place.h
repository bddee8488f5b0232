/* place.h - what the files of src/place share. */
#ifndef STRATA_PLACE_INTERNAL_H
#define STRATA_PLACE_INTERNAL_H

#include <strata/place.h>

/* Bytes of the unified memory that the driver gives to shared memory. */
uint64_t choose_carveout(const struct strata_gpu *gpu, const struct strata_launch *launch,
                         uint64_t block_bytes, uint32_t blocks_by_warps);

/* Warps whose registers an SM can hold together, if registers come in multiples of `unit` per warp.
 */
uint32_t warps_by_registers(const struct strata_gpu *gpu, uint32_t registers_per_thread,
                            uint32_t unit);

/* The SMs that n blocks go to when each SM holds at most blocks_per_sm, in the order of the blocks;
 * n <= SMs * blocks_per_sm. *state is read and brought up to date. */
strata_status deal_blocks(const struct strata_gpu *gpu, uint64_t n, uint32_t blocks_per_sm,
                          struct strata_dispatch_state *state, uint16_t *sm,
                          struct strata_error *err);

/* After a block went to a freed slot of an SM: the cluster (or single TPC) after that SM's is next.
 */
void after_block(const struct strata_gpu *gpu, uint32_t sm, struct strata_dispatch_state *state);

uint32_t sm_count(const struct strata_gpu *gpu);
/* The i-th SM that blocks are dealt to, and the GPC of an SM; 0 for all where it is not known. */
uint32_t sm_in_order(const struct strata_gpu *gpu, uint32_t i);
uint32_t gpc_in_order(const struct strata_gpu *gpu, uint32_t sm);

/* ---- launches in clusters (cluster_places.c) ---- */

enum { CLUSTER_MOST_BLOCKS = 32 };
/* SMs in groups that a cluster may lie in: the singles' TPCs, then the GPCs. */
struct cluster_places {
    uint32_t size, blocks_per_sm, n_groups, n_singles;
    uint16_t sm[STRATA_MAX_SMS];        /* group by group */
    uint16_t first[STRATA_MAX_SMS + 1]; /* of each group, into sm */
    uint16_t group[STRATA_MAX_SMS];     /* by SM */
    uint16_t free[STRATA_MAX_SMS];      /* by SM: blocks that it still has room for */
};
/* size <= CLUSTER_MOST_BLOCKS. */
void cluster_places_init(struct cluster_places *p, const struct strata_gpu *gpu, uint32_t size,
                         uint32_t blocks_per_sm);
/* The SMs of the blocks of the first clusters of n, as many as fit at once: their number. */
uint64_t cluster_places_deal(struct cluster_places *p, uint64_t n,
                             struct strata_dispatch_state *state, uint16_t *out);
/* A block of an SM has ended. */
void cluster_places_release(struct cluster_places *p, uint32_t sm);
/* The SMs of a cluster for which there is room; false: there is none. */
bool cluster_places_next(struct cluster_places *p, uint16_t *out);

#endif
