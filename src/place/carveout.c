/* carveout.c - how much of the unified memory of an SM the driver sets aside for shared memory.
 *
 * The rule is not published. What device/probe/carve_probe.cu and every other launch measured on an
 * H200 (driver 580) obey:
 *  - With shared memory: the smallest size with room for more blocks than warps and registers let
 * in: for twice as many, but not for more than three quarters of the SM's other slots. A block
 * alone on its SM, and one with half of the SM's warps, get room for just the blocks that fit.
 *  - The room for more never takes the size above the first that is half of the unified memory (132
 * of 256 KB); the blocks that fit may.
 *  - Where shared memory itself limits the blocks: the smallest size that holds as many as the
 * largest.
 *  - Without shared memory: four times the blocks that warps let in with the driver's own bytes, as
 * far as there are slots. */
#include "base/bits.h"
#include "place/place.h"

#define NO_SIZE UINT64_MAX /* 0 is a size: all of it is L1 */
enum { QUARTERS = 4 };

static uint64_t largest(const struct strata_gpu *gpu)
{
    return gpu->l1.carveout_bytes[gpu->l1.n_carveout - 1];
}

/* NO_SIZE if there is none. */
static uint64_t smallest_of(const struct strata_gpu *gpu, uint64_t bytes)
{
    for (uint32_t i = 0; i < gpu->l1.n_carveout; i++)
        if (gpu->l1.carveout_bytes[i] >= bytes)
            return gpu->l1.carveout_bytes[i];
    return NO_SIZE;
}

/* Blocks that fit by everything but shared memory. */
static uint64_t blocks_otherwise(const struct strata_gpu *gpu, const struct strata_launch *launch,
                                 uint64_t blocks_by_warps)
{
    uint64_t blocks = blocks_by_warps;
    if (launch->registers_per_thread) {
        uint32_t warps =
            warps_by_registers(gpu, launch->registers_per_thread, gpu->sm.register_alloc_unit);
        uint64_t by_registers = warps / strata_launch_warps_per_block(launch);
        blocks = by_registers && by_registers < blocks ? by_registers : blocks;
    }
    return blocks < gpu->sm.max_blocks ? blocks : gpu->sm.max_blocks;
}

/* Room for more blocks than fit, in quarters of a block. */
static uint64_t roomy_quarters(const struct strata_gpu *gpu, const struct strata_launch *launch,
                               uint64_t blocks)
{
    uint64_t twice = QUARTERS * blocks, others = (QUARTERS - 1) * (gpu->sm.max_blocks - blocks);
    if (blocks == 1 || 2 * strata_launch_warps_per_block(launch) >= gpu->sm.max_warps)
        return QUARTERS * blocks;
    return QUARTERS * blocks + (twice < others ? twice : others);
}

static uint64_t carveout_with_shared(const struct strata_gpu *gpu,
                                     const struct strata_launch *launch, uint64_t block_bytes,
                                     uint64_t blocks)
{
    uint64_t half = smallest_of(gpu, ceil_div(gpu->l1.unified_bytes, 2));
    uint64_t spare = half == NO_SIZE ? largest(gpu) : half;
    uint64_t roomy =
        smallest_of(gpu, ceil_div(roomy_quarters(gpu, launch, blocks) * block_bytes, QUARTERS));
    if (roomy <= spare)
        return roomy;
    uint64_t just = smallest_of(gpu, blocks * block_bytes);
    if (just != NO_SIZE)
        return just > spare ? just : spare;
    return smallest_of(gpu, largest(gpu) / block_bytes * block_bytes);
}

uint64_t choose_carveout(const struct strata_gpu *gpu, const struct strata_launch *launch,
                         uint64_t block_bytes, uint32_t blocks_by_warps)
{
    bool uses_shared = launch->shared_static_bytes || launch->shared_dynamic_bytes;
    if (!gpu->l1.n_carveout)
        return gpu->shared.per_sm_bytes;
    if (gpu->l1.carveout_rule == STRATA_CARVEOUT_MOST)
        return largest(gpu);
    uint64_t blocks = blocks_otherwise(gpu, launch, blocks_by_warps);
    if (gpu->l1.carveout_rule == STRATA_CARVEOUT_DOUBLE && uses_shared)
        return carveout_with_shared(gpu, launch, block_bytes, blocks);
    if (gpu->l1.carveout_rule == STRATA_CARVEOUT_DOUBLE) {
        blocks = 4 * (uint64_t)blocks_by_warps;
        blocks = blocks < gpu->sm.max_blocks ? blocks : gpu->sm.max_blocks;
    }
    uint64_t size = smallest_of(gpu, blocks * block_bytes);
    return size == NO_SIZE ? largest(gpu) : size;
}
