/* l1_rules.h - the L1 data cache: its size, what loads find in it and what stores do to it. */
#ifndef STRATA_MEMORY_L1_RULES_H
#define STRATA_MEMORY_L1_RULES_H

#include "memory/load_store.h"
#include "memory/l2_rules.h"

/* What the L1 of an SM holds, less the lines it keeps for itself. */
static inline struct strata_cache_config l1_config(const struct strata_gpu *gpu, uint64_t l1_bytes)
{
    struct strata_cache_config l1 = gpu->l1.cache;
    uint64_t reserved = (uint64_t)gpu->l1.reserved_lines * l1.line_bytes;
    l1.size_bytes = l1_bytes > reserved + l1.line_bytes ? l1_bytes - reserved : l1.line_bytes;
    return l1;
}

/* Loads that go around the L1: by their hint, or because they must see what other SMs write (8192
 * warps that read one word as volatile got 8192 sectors and hit the L1 not once). */
static inline bool l1_is_used(const struct strata_gpu *gpu, const struct strata_inst *i)
{
    return gpu->l1.enabled && !(i->hints & (STRATA_HINT_BYPASS_L1 | STRATA_HINT_VOLATILE));
}

/* Where a load looks first (paper 002, section 4.3): texture fetches and loads of read-only data
 * have caches of their own on some GPUs; on others the L1 serves them too. */
enum load_path { LOAD_L1 = 0, LOAD_READONLY, LOAD_TEXTURE, LOAD_AROUND, LOAD_SIDES = 2 };
static inline enum load_path load_path_of(const struct strata_gpu *gpu, const struct strata_inst *i)
{
    if (i->space == STRATA_SPACE_TEXTURE && gpu->texture.cache.size_bytes)
        return LOAD_TEXTURE;
    if (i->hints & STRATA_HINT_READ_ONLY && gpu->readonly.cache.size_bytes)
        return LOAD_READONLY;
    return l1_is_used(gpu, i) ? LOAD_L1 : LOAD_AROUND;
}
/* The cache beside the L1 that a path has, in the place of the L1's: NULL if the GPU has none. Its
 * lines and sectors are the L1's. */
static inline const struct strata_cache_config *side_config(const struct strata_gpu *gpu,
                                                            enum load_path path)
{
    const struct strata_cache_config *c =
        path == LOAD_READONLY ? &gpu->readonly.cache : &gpu->texture.cache;
    return c->size_bytes ? c : NULL;
}
strata_status side_create(const struct strata_gpu *gpu, enum load_path path, uint64_t seed,
                          struct cache *out, struct strata_error *err);
/* The most sectors that a read of a texture asks the L2 for with one request; 0: all of a line that
 * are missing (pitch_probe.cu: those of pitched memory go one by one, so that the second of each 64
 * bytes finds the fetch of the first). */
static inline uint32_t load_request_sectors(const struct strata_gpu *gpu,
                                            const struct strata_launch_texture *t)
{
    return t && t->texels == STRATA_TEXELS_PITCHED ? gpu->l1.texture_pitched_sectors : 0;
}
/* The first request's part of some sectors. */
static inline uint32_t load_request_part(uint32_t sectors, uint32_t most)
{
    uint32_t part = 0;
    for (uint32_t b = sectors; most && b && popcount32(part) < most; b &= b - 1)
        part |= b & (0u - b);
    return most ? part : sectors;
}
/* Load to use on a hit, with so many passes over the data banks. The tags of a load's lines come
 * before: a line whose tag is looked up later delays all passes (strided_hits_probe.cu: 32 lines of
 * one bank take 69 cycles longer than one, 62 for the passes and 7 for the tags). */
static inline uint32_t load_path_hit_cycles(const struct strata_gpu *gpu, enum load_path path,
                                            uint32_t passes)
{
    return path == LOAD_READONLY  ? gpu->readonly.hit_cycles
           : path == LOAD_TEXTURE ? gpu->texture.hit_cycles
                                  : load_store_hit_latency(gpu, passes);
}

/* With MSHRs and allocation on a miss, a line of the set is reserved for the data until it is
 * there: the old L1 of paper 004 (figure 6). Without MSHRs the H200's rule holds: a line may lose
 * its place before that. */
static inline bool l1_reserves_lines(const struct strata_gpu *gpu)
{
    return gpu->l1.mshrs && gpu->l1.allocate == STRATA_ALLOC_ON_MISS;
}
/* When the sectors of a slot are all there: until then its line may be reserved. */
static inline uint64_t l1_filled_at(const struct cache_slot *s)
{
    return slot_ready(s, s->valid, 0);
}
/* A place for a line at t; CACHE_NONE: all lines of its set are reserved. */
uint32_t l1_place(struct cache *l1, const struct strata_gpu *gpu, uint64_t line, uint64_t t);

/* Sectors of a load that need no fetch: those that are there or on their way, and, with
 * write-validate, those of which every byte that is read was written (paper 004, section III-B). */
static inline uint32_t l1_readable(const struct cache *l1, const struct strata_gpu *gpu,
                                   uint32_t slot, uint32_t sectors, const struct line_bytes *read)
{
    const struct cache_slot *s = &l1->slot[slot];
    uint32_t have = s->valid & sectors;
    if (gpu->l1.write_miss != STRATA_WRITE_VALIDATE)
        return have;
    for (uint32_t b = sectors & ~have & s->partial; b; b &= b - 1)
        if (line_bytes_inside(read, &l1->written[slot], lowest_bit32(b), l1->sector_shift))
            have |= b & (0u - b);
    return have;
}

/* Stores take a place in the L1 where their line has none. */
static inline bool l1_allocates_writes(const struct strata_gpu *gpu)
{
    return gpu->l1.write_policy == STRATA_WRITE_THROUGH_ALLOCATE ||
           gpu->l1.write_policy == STRATA_WRITE_BACK;
}
/* A store to a line of which anything is still on its way (l1.store_restarts_line; probe hazard, on
 * an H200): the line begins anew with what is stored. Who waits gets the data, nobody later finds
 * it, nor what was written before. */
static inline bool l1_store_restarts(const struct cache *l1, const struct strata_gpu *gpu,
                                     uint32_t slot, uint64_t t)
{
    return gpu->l1.store_restarts_line && l1_filled_at(&l1->slot[slot]) > t;
}
/* What goes around the L1, a load that has to see other SMs' stores or an atomic, leaves nothing of
 * its line there (l1.around_voids_line; around_probe.cu on an H200: of whole lines, and whatever
 * lanes go around; data on its way is not found either). */
static inline bool l1_around_voids(const struct strata_gpu *gpu)
{
    return gpu->l1.around_voids_line && gpu->l1.enabled;
}
/* Nothing of a line is there any more, but its place. */
void l1_forget(struct cache *l1, uint64_t line);
/* A read of the host's memory, of which only printf has some, leaves nothing but local memory: the
 * text of a warp's next call comes from the L2 again (devicecalls_probe.cu: 4, 8, 16 and 64 sectors
 * for 1, 2, 4 and 16 calls), what a call keeps for itself does not (printing_probe.cu). */
void l1_lose_all_but_local(struct cache *l1, const struct strata_gpu *gpu);
/* A store of some bytes at t; returns the sectors that count as hits: those it finds there, or all
 * of a line of which anything is there (l1.store_counts_by_line). */
uint32_t l1_write(struct cache *l1, const struct strata_gpu *gpu, uint64_t line, uint32_t sectors,
                  const struct line_bytes *bytes, uint64_t t);

#endif
