/* block_rate.h - how fast the dispatcher works.
 *
 * It hands out so many blocks a cycle, and takes note of as many that have ended, for each of which
 * it has a new one; the launch is over when it has noted the last. So blocks that only exit,
 * compare or store take 350 to 450 cycles more than the rate by which they are handed out, since
 * the first ones wait for their code and all others for them to be noted (turnover_probe.cu). */
#ifndef STRATA_SM_BLOCK_RATE_H
#define STRATA_SM_BLOCK_RATE_H

#include <strata/gpu.h>

/* When it does with a block that reaches it at t what it is busy with until *free64 (64ths of a
 * cycle). */
static inline uint64_t block_rate_turn(const struct strata_gpu *gpu, uint64_t *free64, uint64_t t)
{
    double rate = gpu->launch.blocks_per_cycle;
    uint32_t cost =
        rate > 0 ? (uint32_t)(64.0 / rate + 0.5) : 64 * gpu->launch.block_interval_cycles;
    uint64_t start = t * 64 > *free64 ? t * 64 : *free64;
    *free64 = start + cost;
    return start / 64;
}

/* When the next block of an SM begins in the first wave, whose blocks have `warps` warps; *next is
 * kept for each SM. All SMs are filled side by side, each as fast as it takes warps in (dispatch;
 * dram_probe.cu, timeline: 1,024 blocks of eight warps begin within 440 to 870 cycles). */
static inline uint64_t block_rate_first(const struct strata_gpu *gpu, uint32_t warps,
                                        uint64_t *next, uint64_t *free64)
{
    uint64_t by_warp = (uint64_t)gpu->launch.first_warp_cycles * warps,
             cycles = by_warp > gpu->launch.first_block_cycles ? by_warp
                                                               : gpu->launch.first_block_cycles;
    if (!cycles)
        return block_rate_turn(gpu, free64, gpu->launch.launch_cycles);
    uint64_t start = *next > gpu->launch.launch_cycles ? *next : gpu->launch.launch_cycles;
    *next = start + cycles;
    return start;
}

#endif
