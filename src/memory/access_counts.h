/* access_counts.h - which of the profiler's rows an access to memory belongs to, for every model.
 *
 * Asynchronous copies are loads, those that go around the L1 too (example suite, sgemm_blocked: all
 * cp.async.cg, each counted as a request whose sectors miss). Textures are counted as loads. */
#ifndef STRATA_MEMORY_ACCESS_COUNTS_H
#define STRATA_MEMORY_ACCESS_COUNTS_H

#include <strata/trace.h>

/*TMP*/
struct launch_counters {
    uint64_t ld_requests, ld_sectors, ld_hits;
    uint64_t st_requests, st_sectors, st_hits;
    uint64_t local_ld_sectors, local_st_sectors;
    uint64_t atom_sectors, red_sectors;
    uint64_t set_conflicts;
    uint64_t to_l1_bytes;   /* xbar -> L1 */
    uint64_t from_l1_bytes; /* L1 -> xbar, writes and atomics */
    uint64_t l2_requests;
    uint64_t l2_tex_read, l2_tex_read_hit, l2_tex_read_miss, l2_tex_write;
    uint64_t l2_read, l2_read_hit, l2_read_miss, l2_write, l2_write_hit;
    uint64_t l2_atomic;
    uint64_t fabric, fabric_read;
    uint64_t dram_read, dram_write, row_misses;
    uint64_t merged_sectors; /* answered by the request coalescer */
    uint64_t tlb_misses;
    /* cycles that loads spent, summed over line requests: the latency breakdown */
    uint64_t lat_requests, lat_lsu, lat_l1, lat_xbar, lat_l2, lat_fabric, lat_dram;
};
/*TMPEND*/

static inline void count_load(struct launch_counters *c, const struct strata_inst *i,
                              uint32_t sectors, uint32_t hits)
{
    if (i->space == STRATA_SPACE_LOCAL) {
        c->local_ld_sectors += sectors;
        return;
    }
    c->ld_requests++;
    c->ld_sectors += sectors;
    c->ld_hits += hits;
}
static inline void count_store(struct launch_counters *c, const struct strata_inst *i,
                               uint32_t sectors, uint32_t hits)
{
    if (i->space == STRATA_SPACE_LOCAL) {
        c->local_st_sectors += sectors;
        return;
    }
    c->st_requests++;
    c->st_sectors += sectors;
    c->st_hits += hits;
}
static inline void count_atomic(struct launch_counters *c, const struct strata_inst *i,
                                uint32_t sectors)
{
    *(i->memop == STRATA_MEM_ATOMIC ? &c->atom_sectors : &c->red_sectors) += sectors;
}

#endif
