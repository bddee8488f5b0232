/* address_map.h - where a line lives: partition, slice, channel; and where an SM is attached.
 *
 * Every hash of addresses that is not a cache's own index stands here. */
#ifndef STRATA_MEMORY_ADDRESS_MAP_H
#define STRATA_MEMORY_ADDRESS_MAP_H

#include <stdbool.h>
#include <stdint.h>
#include <strata/gpu.h>
#include <strata/status.h>

#include "base/bits.h"

#define ADDRESS_MAP_PARTITIONS 16 /* the bound of l2.partitions */

struct address_map {
    const struct strata_gpu *gpu;
    uint32_t partitions, slices, channels; /* slices and channels of one partition */
    uint32_t hash, home_bytes;
    uint64_t home_mask;   /* address bits whose parity is the home; 0: blocks are scattered */
    uint32_t block_shift; /* log2 of dram.interleave */
    uint32_t pair_shift;  /* log2 of l2.slice_pair; 0: slices are not in pairs */
    uint16_t pair_of[64]; /* of the blocks of a group, before the group is turned */
    bool coupled;         /* the slices belong to channels: as many of them to each */
};
/* Fails if a partition would have no slice or no channel. */
strata_status address_map_init(struct address_map *m, const struct strata_gpu *gpu,
                               struct strata_error *err);

/* The partition whose DRAM a line lies in. */
static inline uint32_t address_map_home(const struct address_map *m, uint64_t line)
{
    if (m->partitions == 1)
        return 0;
    if (m->home_mask) {
        uint64_t bits = line & m->home_mask;
        return popcount32((uint32_t)(bits ^ bits >> 32)) & 1;
    }
    return (uint32_t)(mix64(line / m->home_bytes * 2 + 1) >> 40) % m->partitions;
}

/* Slice and channel of a line, numbered within a partition. */
uint32_t address_map_spread(uint32_t hash, uint64_t n, uint32_t targets);
uint32_t address_map_slice_of_channel(const struct address_map *m, uint64_t line);
uint32_t address_map_slice_of_pair(const struct address_map *m, uint64_t line);
static inline uint32_t address_map_channel(const struct address_map *m, uint64_t line)
{
    uint64_t block = line >> m->block_shift;
    if (m->hash == STRATA_CHANNEL_MIX) /* not the hash of the slices */
        return (uint32_t)(((mix64(block + 0x5bd1e995) & 0xffffffff) * m->channels) >> 32);
    return address_map_spread(m->hash, block, m->channels);
}
static inline uint32_t address_map_slice(const struct address_map *m, uint64_t line)
{
    if (m->pair_shift)
        return address_map_slice_of_pair(m, line);
    if (m->coupled)
        return address_map_slice_of_channel(m, line);
    if (m->hash == STRATA_CHANNEL_MIX)
        return (uint32_t)(((mix64(line >> 7) & 0xffffffff) * m->slices) >> 32);
    return address_map_spread(m->hash, line >> 7, m->slices);
}
/* Lines that are dealt in turn (no hash) are numbered anew within their slice, or its sets would
 * stay empty but for a few; and back. */
uint64_t address_map_local(const struct address_map *m, uint64_t line);
uint64_t address_map_global(const struct address_map *m, uint32_t slice, uint64_t local);

/* The GPC of an SM, the partition its GPC is attached to, and how many GPCs there are. Where a file
 * does not list the SMs, pairs of them are dealt to the GPCs by turns, as on the H200
 * (launch.gpc_of_sm of gpus/h200.yaml, measured); else all would share one partition and merge
 * their requests with one another. */
static inline uint32_t address_map_gpc(const struct strata_gpu *gpu, uint32_t sm)
{
    if (sm < gpu->launch.n_gpc_of_sm)
        return gpu->launch.gpc_of_sm[sm];
    return gpu->launch.gpcs ? sm / 2 % gpu->launch.gpcs : 0;
}
static inline uint32_t address_map_partition(const struct address_map *m, uint32_t sm)
{
    uint32_t gpc = address_map_gpc(m->gpu, sm);
    return (gpc < m->gpu->l2.n_partition_of_gpc ? m->gpu->l2.partition_of_gpc[gpc] : gpc) %
           m->partitions;
}
uint32_t address_map_gpcs(const struct strata_gpu *gpu);

#endif
