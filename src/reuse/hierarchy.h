/* hierarchy.h - L1s, request coalescers, L2 partitions and DRAM without queues: every access is
 * answered with a nominal latency, so that what is on its way can be told from what is there.
 *
 * The rules are those the H200's counters follow: sectors on their way count as
 * hits; equal requests of SMs of one GPC merge while the line is open; an SM looks
 * up its own partition, lines of the other one are kept as copies; a miss fetches
 * 64 bytes and each fetched sector counts as a miss; stores wait, merge and go to
 * the home; written data goes to DRAM when more is dirty than the L2 keeps. */
#ifndef STRATA_REUSE_HIERARCHY_H
#define STRATA_REUSE_HIERARCHY_H

#include <strata/coalesce.h>
#include <strata/result.h>

#include "cache/memside.h"
#include "result/launch_counters.h"

#define HIERARCHY_STORE_LINES 64

struct hierarchy_store {
    uint64_t line, last, idle; /* idle: idle cycles of the unit until the last store */
    uint32_t sectors;
    uint8_t bytes[CACHE_MAX_SECTORS];
};

struct hierarchy_sm {
    struct cache l1;
    struct hierarchy_store store[HIERARCHY_STORE_LINES];
    uint32_t n_stores, gpc, partition;
    uint64_t unit_busy; /* cycles it was taken so far */
    uint64_t unit_free; /* the load/store unit takes the next instruction then */
};

struct hierarchy_partition {
    struct cache l2;
    struct memside_dirty dirty;
    uint64_t dram_free64;
};

struct hierarchy {
    const struct strata_gpu *gpu;
    struct strata_coalescer coalescer;
    struct hierarchy_sm *sm;
    struct cache_pool l1_pool;
    struct memside side;
    struct memside_coalescer requests;
    struct hierarchy_partition partition[MEMSIDE_MAX_PARTITIONS];
    uint32_t n_sms;
    const struct strata_site_sink *sites;
    const struct strata_dram_sink *dram; /* NULL: nobody wants to know */
    uint64_t dram_told;                  /* the latest time told */
    uint32_t dram_64ths; /* of a cycle that one sector takes of a partition's DRAM */
    struct launch_counters n;
};

strata_status hierarchy_init(struct hierarchy *h, const struct strata_gpu *gpu,
                             const struct strata_launch *launch, uint64_t l1_bytes, uint64_t seed,
                             struct strata_error *err);
void hierarchy_release(struct hierarchy *h);
/* One warp instruction at time t; returns when its data is there. */
uint64_t hierarchy_access(struct hierarchy *h, uint32_t sm, const struct strata_winst *w,
                          uint64_t local_base, uint64_t t);
/* A shared-memory instruction: nothing to model here, but somebody may want to know. */
void hierarchy_shared(struct hierarchy *h, const struct strata_winst *w);
/* What waits in front of the crossbars leaves. */
void hierarchy_drain(struct hierarchy *h);
void hierarchy_report(const struct hierarchy *h, struct strata_result *r);

#endif
