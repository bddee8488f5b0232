/* function.c - what can be asked and set about kernels, and occupancy. */
#include "cuda/driver.h"

#include <string.h>

#include "cuda/module.h"

#define SHARED_ALLOC_UNIT           128
#define MAX_WARPS_ALLOC_GRANULARITY 4
#define MAX_THREADS                 1024

/* ---- attributes ---- */

static int max_threads(const struct CUfunc_st *f)
{
    int threads = f->entry->max_threads ? (int)f->entry->max_threads : MAX_THREADS;
    bool known = f->regs_source != STRATA_REGS_ESTIMATE; /* a guess forbids nothing */
    while (known && f->registers && (uint64_t)threads * f->registers > device.registers_per_sm)
        threads -= 32;
    return threads;
}

static CUresult get_attribute(const struct CUfunc_st *f, CUfunction_attribute which, int *value)
{
    switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = max_threads(f);
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)f->shared_static_bytes;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)f->entry->local_bytes;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = (int)f->registers;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *value = (int)strata_module_sm(function_module(f));
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = (int)device.sm_version;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = (int)f->max_dynamic_shared_bytes;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = f->carveout;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        *value = f->nonportable_cluster;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        *value = (int)f->cluster[which - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH];
        return CUDA_SUCCESS;
    default: /* constant memory, cache mode, cluster bounds and policy: nothing to say */
        *value = 0;
        return (int)which >= 0 && which < CU_FUNC_ATTRIBUTE_MAX ? CUDA_SUCCESS
                                                                : CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult set_attribute(CUfunction f, CUfunction_attribute which, int value)
{
    switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        if (value < 0 || (uint64_t)value + f->shared_static_bytes > device.shared_per_block_optin)
            return CUDA_ERROR_INVALID_VALUE;
        f->max_dynamic_shared_bytes = (uint32_t)value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        if (value < -1 || value > 100)
            return CUDA_ERROR_INVALID_VALUE;
        f->carveout = value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        f->nonportable_cluster = value != 0;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        if (value < 0)
            return CUDA_ERROR_INVALID_VALUE;
        f->cluster[which - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH] = (uint32_t)value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute which, CUfunction handle)
{
    CUfunction f;
    ENTER(NEED_CONTEXT);
    CUresult status = value ? function_ready(handle, &f) : CUDA_ERROR_INVALID_VALUE;
    LEAVE(status == CUDA_SUCCESS ? get_attribute(f, which, value) : status);
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute which, int value)
{
    CUfunction f;
    ENTER(NEED_CONTEXT);
    CUresult status = function_ready(handle, &f);
    LEAVE(status == CUDA_SUCCESS ? set_attribute(f, which, value) : status);
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute which, CUkernel k, CUdevice dev)
{
    CUfunction f;
    ENTER(NEED_INIT);
    CUresult status = !value     ? CUDA_ERROR_INVALID_VALUE
                      : dev != 0 ? CUDA_ERROR_INVALID_DEVICE
                                 : function_ready(k, &f);
    LEAVE(status == CUDA_SUCCESS ? get_attribute(f, which, value) : status);
}

CUresult cuKernelSetAttribute(CUfunction_attribute which, int value, CUkernel k, CUdevice dev)
{
    CUfunction f;
    ENTER(NEED_INIT);
    CUresult status = dev != 0 ? CUDA_ERROR_INVALID_DEVICE : function_ready(k, &f);
    LEAVE(status == CUDA_SUCCESS ? set_attribute(f, which, value) : status);
}

/* Settings that change speed, not results. */
static CUresult accept(const void *handle, int value, int largest)
{
    CUfunction f;
    ENTER(NEED_CONTEXT);
    CUresult status = function_ready(handle, &f);
    LEAVE(status == CUDA_SUCCESS && (value < 0 || value > largest) ? CUDA_ERROR_INVALID_VALUE
                                                                   : status);
}

CUresult cuFuncSetCacheConfig(CUfunction f, CUfunc_cache value)
{
    return accept(f, (int)value, CU_FUNC_CACHE_PREFER_EQUAL);
}

CUresult cuFuncSetSharedMemConfig(CUfunction f, CUsharedconfig value)
{
    return accept(f, (int)value, CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE);
}

CUresult cuKernelSetCacheConfig(CUkernel k, CUfunc_cache value, CUdevice dev)
{
    return dev != 0 ? CUDA_ERROR_INVALID_DEVICE : accept(k, (int)value, CU_FUNC_CACHE_PREFER_EQUAL);
}

/* ---- names and origins ---- */

CUresult cuFuncGetName(const char **name, CUfunction handle)
{
    CUfunction f;
    ENTER(NEED_INIT);
    CUresult status = name ? function_ready(handle, &f) : CUDA_ERROR_INVALID_VALUE;
    if (status == CUDA_SUCCESS)
        *name = f->name;
    LEAVE(status);
}

CUresult cuKernelGetName(const char **name, CUkernel k)
{
    return cuFuncGetName(name, (CUfunction)k);
}

CUresult cuFuncGetModule(CUmodule *out, CUfunction handle)
{
    CUfunction f;
    ENTER(NEED_CONTEXT);
    CUresult status = out ? function_ready(handle, &f) : CUDA_ERROR_INVALID_VALUE;
    if (status == CUDA_SUCCESS)
        *out = f->module;
    LEAVE(status);
}

CUresult cuKernelGetLibrary(CUlibrary *out, CUkernel k)
{
    return cuFuncGetModule((CUmodule *)(void *)out, (CUfunction)k);
}

CUresult cuKernelGetFunction(CUfunction *out, CUkernel k)
{
    ENTER(NEED_CONTEXT);
    LEAVE(out ? function_ready(k, out) : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuFuncGetParamInfo(CUfunction handle, size_t index, size_t *offset, size_t *bytes)
{
    CUfunction f;
    ENTER(NEED_INIT);
    CUresult status = offset ? function_ready(handle, &f) : CUDA_ERROR_INVALID_VALUE;
    if (status == CUDA_SUCCESS && index >= f->entry->n_params)
        status = CUDA_ERROR_INVALID_VALUE;
    if (status != CUDA_SUCCESS)
        LEAVE(status);
    *offset = f->entry->params[index].offset_bytes;
    if (bytes)
        *bytes = f->entry->params[index].size_bytes;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuKernelGetParamInfo(CUkernel k, size_t index, size_t *offset, size_t *bytes)
{
    return cuFuncGetParamInfo((CUfunction)k, index, offset, bytes);
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction handle)
{
    CUfunction f;
    ENTER(NEED_CONTEXT);
    CUresult status = state ? function_ready(handle, &f) : CUDA_ERROR_INVALID_VALUE;
    if (status == CUDA_SUCCESS)
        *state = CU_FUNCTION_LOADING_STATE_LOADED;
    LEAVE(status);
}

CUresult cuFuncLoad(CUfunction handle)
{
    CUfunction f;
    ENTER(NEED_CONTEXT);
    LEAVE(function_ready(handle, &f));
}

/* ---- occupancy ---- */

static uint64_t round_up_to(uint64_t x, uint64_t unit)
{
    return (x + unit - 1) / unit * unit;
}

/* Blocks of this kernel that fit on one SM: the least of what threads, registers, shared memory and
 * the block limit allow. Warps are spread over four schedulers with a quarter of the registers. */
uint32_t occupancy_blocks(const struct CUfunc_st *f, uint32_t threads, uint64_t dynamic_bytes)
{
    if (!threads || threads > MAX_THREADS)
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
        if (!limit && f->regs_source == STRATA_REGS_ESTIMATE)
            limit = 1;
        if (limit < blocks)
            blocks = limit;
    }
    uint64_t shared = round_up_to(f->shared_static_bytes + dynamic_bytes + device.shared_reserved,
                                  SHARED_ALLOC_UNIT);
    if (shared && device.shared_per_sm / shared < blocks)
        blocks = device.shared_per_sm / shared;
    return (uint32_t)blocks;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction handle,
                                                              int threads, size_t dynamic_bytes,
                                                              unsigned flags)
{
    CUfunction f;
    ENTER(NEED_CONTEXT);
    if (!blocks || threads <= 0 || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUresult status = function_ready(handle, &f);
    if (status == CUDA_SUCCESS)
        *blocks = (int)occupancy_blocks(f, (uint32_t)threads, dynamic_bytes);
    LEAVE(status);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads,
                                                     size_t dynamic_bytes)
{
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, threads, dynamic_bytes,
                                                                0);
}

/* The largest occupancy in threads; among equals the largest block, as the interface's own. */
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid, int *block, CUfunction handle,
                                                   CUoccupancyB2DSize to_bytes,
                                                   size_t dynamic_bytes, int limit, unsigned flags)
{
    CUfunction f;
    uint64_t best = 0;
    if (!min_grid || !block || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
        return CUDA_ERROR_INVALID_VALUE;
    ENTER(NEED_CONTEXT);
    CUresult status = function_ready(handle, &f);
    if (status != CUDA_SUCCESS)
        LEAVE(status);
    int most = max_threads(f);
    if (limit > 0 && limit < most)
        most = limit;
    for (int threads = (most + 31) / 32 * 32; threads > 0; threads -= 32) {
        int actual = threads < most ? threads : most;
        size_t bytes = dynamic_bytes;
        if (to_bytes) {
            driver_unlock();
            bytes = to_bytes(actual);
            driver_lock();
        }
        uint64_t resident = occupancy_blocks(f, (uint32_t)actual, bytes) * (uint64_t)actual;
        if (resident <= best)
            continue;
        best = resident;
        *block = actual;
        *min_grid = (int)(resident / (uint64_t)actual * device.sm_count);
    }
    LEAVE(best ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuOccupancyMaxPotentialBlockSize(int *min_grid, int *block, CUfunction f,
                                          CUoccupancyB2DSize to_bytes, size_t dynamic_bytes,
                                          int limit)
{
    return cuOccupancyMaxPotentialBlockSizeWithFlags(min_grid, block, f, to_bytes, dynamic_bytes,
                                                     limit, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction handle, int blocks,
                                                 int threads)
{
    CUfunction f;
    ENTER(NEED_CONTEXT);
    if (!bytes || blocks <= 0 || threads <= 0)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUresult status = function_ready(handle, &f);
    if (status != CUDA_SUCCESS)
        LEAVE(status);
    uint64_t each = device.shared_per_sm / (uint64_t)blocks / SHARED_ALLOC_UNIT * SHARED_ALLOC_UNIT;
    uint64_t taken = f->shared_static_bytes + device.shared_reserved;
    *bytes = each > taken ? each - taken : 0;
    LEAVE(CUDA_SUCCESS);
}

/* Clusters fit as their blocks do: the SMs of a GPC are not told apart here. */
CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction handle, const CUlaunchConfig *c)
{
    CUfunction f;
    uint32_t size = 1;
    ENTER(NEED_CONTEXT);
    if (!clusters || !c)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUresult status = function_ready(handle, &f);
    if (status != CUDA_SUCCESS)
        LEAVE(status);
    for (unsigned i = 0; i < c->numAttrs; i++)
        if (c->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            size = c->attrs[i].value.clusterDim.x * c->attrs[i].value.clusterDim.y *
                   c->attrs[i].value.clusterDim.z;
    if (!size)
        LEAVE(CUDA_ERROR_INVALID_CLUSTER_SIZE);
    uint32_t threads = c->blockDimX * c->blockDimY * c->blockDimZ;
    *clusters = (int)(occupancy_blocks(f, threads, c->sharedMemBytes) * device.sm_count / size);
    LEAVE(CUDA_SUCCESS);
}

CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction handle, const CUlaunchConfig *c)
{
    CUfunction f;
    ENTER(NEED_CONTEXT);
    if (!size || !c)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUresult status = function_ready(handle, &f);
    if (status == CUDA_SUCCESS)
        *size = f->nonportable_cluster ? 2 * MAX_CLUSTER : MAX_CLUSTER;
    LEAVE(status);
}
