/* block_sets.c - blocks and threads placed without time: active sets and warps (paper 000, section
 * 3). */
#include <stdlib.h>

#include "place/place.h"

strata_status strata_place_blocks(const struct strata_gpu *gpu, uint64_t blocks,
                                  uint32_t blocks_per_sm, enum strata_placement how,
                                  uint32_t *sm_of_block, uint32_t *set_of_block,
                                  struct strata_error *err)
{
    uint64_t sms = sm_count(gpu), wave = sms * (blocks_per_sm ? blocks_per_sm : 1);
    uint64_t n_first = blocks < wave ? blocks : wave;
    struct strata_dispatch_state state = {0, 0};
    uint16_t *first = malloc((n_first + 1) * sizeof *first);
    if (!first)
        return strata_no_memory(err, gpu->name, "to place %llu blocks", (unsigned long long)blocks);
    strata_status status = STRATA_OK;
    if (how == STRATA_PLACE_DISPATCH)
        status = deal_blocks(gpu, n_first, blocks_per_sm ? blocks_per_sm : 1, &state, first, err);
    for (uint64_t b = 0; status == STRATA_OK && b < blocks; b++) {
        sm_of_block[b] = how == STRATA_PLACE_DISPATCH ? first[b % wave] : (uint32_t)(b % sms);
        set_of_block[b] = (uint32_t)(b / wave);
    }
    free(first);
    return status;
}

uint32_t strata_warp_position(enum strata_warp_assignment how, const uint32_t *custom,
                              uint32_t threads, uint32_t thread)
{
    uint32_t warps = (threads + STRATA_WARP_SIZE - 1) / STRATA_WARP_SIZE;
    switch (how) {
    case STRATA_WARPS_STRIDED:
        return thread % warps * STRATA_WARP_SIZE + thread / warps;
    case STRATA_WARPS_CUSTOM:
        return custom ? custom[thread] : thread;
    case STRATA_WARPS_LINEAR:
        break;
    }
    return thread;
}
