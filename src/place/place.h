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

#endif
