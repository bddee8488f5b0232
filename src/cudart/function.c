/* function.c - settings of kernels, and occupancy. */
#include "cudart/runtime.h"

#include <string.h>

#define SHARED_ALLOC_UNIT           128
#define MAX_WARPS_ALLOC_GRANULARITY 4

enum { FUNCTION_MAX_DYNAMIC_SHARED = 8, FUNCTION_CARVEOUT = 9 };

static uint64_t round_up_to(uint64_t x, uint64_t unit)
{
    return (x + unit - 1) / unit * unit;
}

/* Blocks of this kernel that fit on one SM: the least of what threads, registers, shared memory and
 * the block limit allow. Warps are spread over four schedulers with a quarter of the registers. */
uint32_t occupancy_blocks(const struct function *f, uint32_t threads, uint64_t dynamic_bytes)
{
    if (!threads || threads > 1024)
        return 0;
    uint32_t warps = (threads + 31) / 32;
    uint64_t blocks = device.max_threads_per_sm / 32 / warps;
    if (blocks > device.max_blocks_per_sm)
        blocks = device.max_blocks_per_sm;
    if (f->registers) {
        uint64_t per_warp = round_up_to((uint64_t)f->registers * 32, device.register_alloc_unit);
        uint64_t per_scheduler = device.registers_per_sm / MAX_WARPS_ALLOC_GRANULARITY / per_warp;
        uint64_t limit = per_scheduler * MAX_WARPS_ALLOC_GRANULARITY /
                         round_up_to(warps, MAX_WARPS_ALLOC_GRANULARITY);
        if (limit < blocks)
            blocks = limit;
    }
    uint64_t shared = round_up_to(f->shared_static_bytes + dynamic_bytes + device.shared_reserved,
                                  SHARED_ALLOC_UNIT);
    if (shared && device.shared_per_sm / shared < blocks)
        blocks = device.shared_per_sm / shared;
    return (uint32_t)blocks;
}

API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *blocks, const void *host,
    int threads, size_t dynamic_bytes, unsigned flags)
{
    (void)flags;
    ENTER();
    struct function *f = function_ready(host);
    if (!f)
        LEAVE(INVALID_DEVICE_FUNCTION);
    if (!blocks || threads <= 0)
        LEAVE(INVALID_VALUE);
    *blocks = (int)occupancy_blocks(f, (uint32_t)threads, dynamic_bytes);
    LEAVE(OK);
}
API_ALIAS(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
          cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *blocks, const void *host,
          int threads, size_t dynamic_bytes, unsigned flags);

API(cudaOccupancyAvailableDynamicSMemPerBlock, size_t *bytes, const void *host, int blocks,
    int threads)
{
    (void)threads;
    ENTER();
    struct function *f = function_ready(host);
    if (!f)
        LEAVE(INVALID_DEVICE_FUNCTION);
    if (!bytes || blocks <= 0)
        LEAVE(INVALID_VALUE);
    uint64_t each = device.shared_per_sm / (uint64_t)blocks / SHARED_ALLOC_UNIT * SHARED_ALLOC_UNIT;
    uint64_t taken = f->shared_static_bytes + device.shared_reserved;
    *bytes = each > taken ? each - taken : 0;
    LEAVE(OK);
}

API(cudaFuncSetAttribute, const void *host, int which, int value)
{
    ENTER();
    struct function *f = function_ready(host);
    if (!f)
        LEAVE(INVALID_DEVICE_FUNCTION);
    if (which == FUNCTION_MAX_DYNAMIC_SHARED) {
        if (value < 0 || (uint64_t)value + f->shared_static_bytes > device.shared_per_block_optin)
            LEAVE(INVALID_VALUE);
        f->max_dynamic_shared_bytes = (uint32_t)value;
    } else if (which == FUNCTION_CARVEOUT) {
        f->carveout = value;
    }
    LEAVE(OK);
}

API(cudaFuncSetCacheConfig, const void *host, int value)
{
    (void)value;
    ENTER();
    LEAVE(function_find(host) ? OK : INVALID_DEVICE_FUNCTION);
}
API_ALIAS(cudaFuncSetSharedMemConfig, cudaFuncSetCacheConfig, const void *host, int value);

API(cudaFuncGetParamInfo, const void *host, size_t index, size_t *offset, size_t *bytes)
{
    ENTER();
    struct function *f = function_ready(host);
    if (!f)
        LEAVE(INVALID_DEVICE_FUNCTION);
    if (index >= f->entry->n_params)
        LEAVE(INVALID_VALUE);
    if (offset)
        *offset = f->entry->params[index].offset_bytes;
    if (bytes)
        *bytes = f->entry->params[index].size_bytes;
    LEAVE(OK);
}
