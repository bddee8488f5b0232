/* strata/place.h - where the threads of a launch run: warps, blocks, SMs.
 *
 * Occupancy: how many blocks an SM holds at once and how its unified memory is
 * split. Dispatch: which SM each block goes to. Active sets: the blocks that
 * share an SM, for models without time. */
#ifndef STRATA_PLACE_H
#define STRATA_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include <strata/gpu.h>
#include <strata/status.h>
#include <strata/trace.h>

/* ---- occupancy ---- */

struct strata_occupancy {
    uint32_t warps_per_block;
    uint32_t limit_registers, limit_shared_mem, limit_warps,
        limit_blocks;                /* blocks an SM can hold */
    uint32_t blocks_per_sm;          /* the least of the four */
    uint64_t shared_per_block_bytes; /* with the driver's share, rounded to the allocation unit */
    uint64_t shared_config_bytes;    /* of each SM, set aside for shared memory */
    uint64_t l1_bytes;               /* what the L1 has then */
    double waves;                    /* blocks of the launch by the blocks the GPU holds at once */
};

/* STRATA_ELIMIT if not even one block fits; the message says which resource is short. */
strata_status strata_occupancy_compute(const struct strata_gpu *gpu,
                                       const struct strata_launch *launch,
                                       struct strata_occupancy *out, struct strata_error *err);

/* How the driver splits the unified memory (gpu->l1.carveout_rule). */
enum strata_carveout_rule {
    STRATA_CARVEOUT_DOUBLE =
        0, /* room for twice the blocks that fit otherwise (see src/place/carveout.c) */
    STRATA_CARVEOUT_LEAST, /* the least that holds the blocks that fit otherwise */
    STRATA_CARVEOUT_MOST,  /* always the largest */
};

/* ---- dispatch ---- */

/* Which cluster is served next: hardware keeps it from one launch to the next. Zeroes: as after a
 * reset. */
struct strata_dispatch_state {
    uint32_t cluster; /* index among the clusters, in order of gpu->launch.order */
    uint32_t single;  /* index among the TPCs outside clusters */
};

/* Deals the blocks of one launch. Not thread-safe per object. */
struct strata_dispatcher;
/* blocks_per_sm >= 1. state may be NULL (all zero). */
strata_status strata_dispatcher_create(const struct strata_gpu *gpu, uint64_t blocks,
                                       uint32_t blocks_per_sm,
                                       const struct strata_dispatch_state *state,
                                       struct strata_dispatcher **out, struct strata_error *err);
/* The same for a launch in clusters of so many blocks, which follow one another; each begins where
 * the SMs of a GPC have room for all of it. */
strata_status strata_dispatcher_create_clusters(const struct strata_gpu *gpu, uint64_t blocks,
                                                uint32_t blocks_per_sm, uint32_t cluster,
                                                const struct strata_dispatch_state *state,
                                                struct strata_dispatcher **out,
                                                struct strata_error *err);
void strata_dispatcher_destroy(struct strata_dispatcher *d); /* NULL is allowed */
/* The blocks that fit at once, in the order they are handed out; false when all of those are
 * placed. */
bool strata_dispatcher_first(struct strata_dispatcher *d, uint64_t *block, uint32_t *sm);
/* A block of SM `sm` has ended: the block that takes its place, or false if none is left. Calls in
 * order of time make the SM that frees a slot first get the next block. */
bool strata_dispatcher_release(struct strata_dispatcher *d, uint32_t sm, uint64_t *block);
/* After that, of a launch in clusters, for which it answers false: the blocks of the cluster that
 * has room now, one at a time; false when there are no more. */
bool strata_dispatcher_waiting(struct strata_dispatcher *d, uint64_t *block, uint32_t *sm);
/* What the next launch starts from. */
void strata_dispatcher_state(const struct strata_dispatcher *d, struct strata_dispatch_state *out);

/* ---- active sets ---- */

enum strata_placement {
    STRATA_PLACE_DISPATCH = 0, /* as the GPU's dispatcher deals them */
    STRATA_PLACE_ROUND_ROBIN,  /* block b on SM b mod SMs (paper 000, section 3) */
};
/* Models without time: all blocks take equally long, so waves of blocks_per_sm blocks per SM follow
 * one another. Writes for each of `blocks` blocks its SM and the number of its set on that SM. */
strata_status strata_place_blocks(const struct strata_gpu *gpu, uint64_t blocks,
                                  uint32_t blocks_per_sm, enum strata_placement how,
                                  uint32_t *sm_of_block, uint32_t *set_of_block,
                                  struct strata_error *err);

/* ---- threads to warps ---- */

enum strata_warp_assignment {
    STRATA_WARPS_LINEAR = 0, /* thread t is lane t mod 32 of warp t / 32: what hardware does */
    STRATA_WARPS_STRIDED,    /* thread t is in warp t mod warps: neighbours in different warps */
    STRATA_WARPS_CUSTOM,     /* by a table: position (warp * 32 + lane) of each thread */
};
/* Position warp * 32 + lane of a thread of a block with `threads` threads. */
uint32_t strata_warp_position(enum strata_warp_assignment how, const uint32_t *custom,
                              uint32_t threads, uint32_t thread);

#endif
