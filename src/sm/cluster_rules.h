/* cluster_rules.h - which blocks form a cluster, and whose shared memory an address means. */
#ifndef STRATA_SM_CLUSTER_RULES_H
#define STRATA_SM_CLUSTER_RULES_H

#include <strata/gpu.h>
#include <strata/trace.h>

#include "base/bits.h"

struct sm_cluster {
    uint64_t number;
    uint32_t blocks, rank;
};

/* The launch's cluster, 1 in every dimension where there is none. */
static inline struct strata_dim3 sm_cluster_size(const struct strata_launch *l)
{
    struct strata_dim3 c = l->cluster;
    return (struct strata_dim3){c.x ? c.x : 1, c.y ? c.y : 1, c.z ? c.z : 1};
}
static inline uint64_t sm_cluster_blocks(const struct strata_launch *l)
{
    struct strata_dim3 c = sm_cluster_size(l);
    return (uint64_t)c.x * c.y * c.z;
}

static inline struct sm_cluster sm_cluster_of(const struct strata_launch *l, uint64_t block)
{
    struct strata_dim3 g = l->grid, c = sm_cluster_size(l);
    uint64_t x = block % g.x, y = block / g.x % g.y, z = block / g.x / g.y;
    uint64_t across = (g.x + c.x - 1) / c.x, down = (g.y + c.y - 1) / c.y;
    return (struct sm_cluster){.number = x / c.x + across * (y / c.y + down * (z / c.z)),
                               .blocks = c.x * c.y * c.z,
                               .rank = (uint32_t)(x % c.x + c.x * (y % c.y + c.y * (z % c.z)))};
}

/* Blocks that the dispatcher hands out together: those of a cluster where they follow one another,
 * else each by itself. */
static inline uint32_t sm_cluster_run(const struct strata_launch *l)
{
    struct strata_dim3 g = l->grid, c = sm_cluster_size(l);
    bool rows = c.x == g.x, planes = rows && c.y == g.y;
    return (c.y == 1 || rows) && (c.z == 1 || planes) ? (uint32_t)sm_cluster_blocks(l) : 1;
}

/* The block of a rank in the cluster of another. */
static inline uint64_t sm_cluster_mate(const struct strata_launch *l, uint64_t block, uint32_t rank)
{
    struct strata_dim3 g = l->grid, c = sm_cluster_size(l);
    uint64_t x = block % g.x, y = block / g.x % g.y, z = block / g.x / g.y;
    x = x / c.x * c.x + rank % c.x;
    y = y / c.y * c.y + rank / c.x % c.y;
    z = z / c.z * c.z + rank / c.x / c.y;
    return x + g.x * (y + (uint64_t)g.y * z);
}

/* An address of the shared memory of a block of a rank. */
static inline uint32_t sm_shared_of_rank(uint32_t rank, uint32_t offset)
{
    return (rank + 1) << STRATA_RANK_SHIFT | offset;
}

/* The block a shared address is of, seen from another; *offset in it. */
static inline uint64_t sm_shared_owner(const struct strata_launch *l, uint64_t block,
                                       uint32_t shared, uint32_t *offset)
{
    uint32_t tag = shared >> STRATA_RANK_SHIFT;
    *offset = shared & ((1u << STRATA_RANK_SHIFT) - 1);
    return tag ? sm_cluster_mate(l, block, tag - 1) : block;
}

/* From the last byte of a copy until its barriers know. */
static inline uint32_t sm_copy_told_cycles(const struct strata_gpu *g, const struct strata_bulk *b)
{
    return g->sm.tma_complete_cycles + (b->multicast ? g->sm.tma_multicast_cycles : 0);
}

/* The barriers that a copy tells of its bytes, as addresses that its block sees: one, one in each
 * block that it goes to, or none. Their number. */
static inline uint32_t sm_copy_barriers(const struct strata_bulk *b, uint32_t shared[32])
{
    uint32_t n = 0, offset = b->barrier & ((1u << STRATA_RANK_SHIFT) - 1);
    if (b->barrier == STRATA_NO_SHARED)
        return 0;
    if (!b->multicast)
        shared[n++] = b->barrier;
    for (uint32_t rest = b->multicast; rest; rest &= rest - 1)
        shared[n++] = sm_shared_of_rank(lowest_bit32(rest), offset);
    return n;
}

#endif
