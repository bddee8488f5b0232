/* carveout.c - how much of the unified memory of an SM the driver sets aside for shared memory.
 *
 * The rule is not published. What the launches measured on an H200 (driver 580) obey, all of them:
 *  - The driver leaves room for twice the blocks that the other limits allow, and a little more:
 * the smallest size above 2 * blocks * bytes per block. (A kernel of 256 threads without shared
 * memory needs 16 KB for 16 blocks with the driver's own 1 KB each; it gets 32 KB, not 16.)
 *  - Never more than all the blocks that an SM can hold would need.
 *  - Registers limit those blocks only for kernels that use shared memory, and they are counted in
 *    units of 16 a thread, coarser than they are allotted.
 * If twice as much does not fit, room for the blocks that do fit; then the largest size. Those two
 * steps agree with published profiles of other Hopper cards, but no launch measured here needs
 * them. */
#include "base/bits.h"
#include "place/place.h"

enum { REGISTERS_PER_THREAD_UNIT = 16 };
#define NO_SIZE UINT64_MAX /* 0 is a size: all of it is L1 */

static uint64_t largest(const struct strata_gpu *gpu)
{
    return gpu->l1.carveout_bytes[gpu->l1.n_carveout - 1];
}

/* The smallest size that is at least `enough`, or above `more_than`; NO_SIZE if there is none. */
static uint64_t smallest(const struct strata_gpu *gpu, uint64_t more_than, uint64_t enough)
{
    for (uint32_t i = 0; i < gpu->l1.n_carveout; i++)
        if (gpu->l1.carveout_bytes[i] > more_than || gpu->l1.carveout_bytes[i] >= enough)
            return gpu->l1.carveout_bytes[i];
    return NO_SIZE;
}

uint64_t choose_carveout(const struct strata_gpu *gpu, const struct strata_launch *launch,
                         uint64_t block_bytes, uint32_t blocks_by_warps)
{
    bool uses_shared = launch->shared_static_bytes || launch->shared_dynamic_bytes;
    uint64_t blocks = blocks_by_warps;
    if (!gpu->l1.n_carveout)
        return gpu->shared.per_sm_bytes;
    if (gpu->l1.carveout_rule == STRATA_CARVEOUT_MOST)
        return largest(gpu);
    if (uses_shared && launch->registers_per_thread) {
        uint32_t warps = warps_by_registers(gpu, launch->registers_per_thread,
                                            REGISTERS_PER_THREAD_UNIT * STRATA_WARP_SIZE);
        uint64_t by_registers = warps / strata_launch_warps_per_block(launch);
        blocks = by_registers && by_registers < blocks ? by_registers : blocks;
    }
    if (blocks > gpu->sm.max_blocks)
        blocks = gpu->sm.max_blocks;
    uint64_t size = NO_SIZE;
    if (gpu->l1.carveout_rule == STRATA_CARVEOUT_DOUBLE)
        size = smallest(gpu, 2 * blocks * block_bytes, gpu->sm.max_blocks * block_bytes);
    if (size == NO_SIZE)
        size = smallest(gpu, UINT64_MAX, blocks * block_bytes);
    return size == NO_SIZE ? largest(gpu) : size;
}
