/* runtime_launch.c - kernel launches: the two ways compilers write them; settings of kernels;
 * occupancy. */
#include "cudart/runtime.h"

/* Between <<<...>>> and the stub that takes it back; nests at most one deep. */
static _Thread_local struct {
    struct dim3 grid, block;
    size_t shared_bytes;
    void *stream;
    bool full;
} pending;

/* The driver calls any wrong argument invalid; the runtime names the launch's shape. */
static bool dimensions_fit(struct dim3 grid, struct dim3 block)
{
    if (!grid.x || !grid.y || !grid.z || !block.x || !block.y || !block.z)
        return false;
    return grid.x <= 0x7fffffff && grid.y <= 65535 && grid.z <= 65535 && block.x <= 1024 &&
           block.y <= 1024 && block.z <= 64 && (uint64_t)block.x * block.y * block.z <= 1024;
}

static int launch(const void *host, struct dim3 grid, struct dim3 block, void **args,
                  size_t shared_bytes, void *stream, CUlaunchAttribute *attributes,
                  unsigned n_attributes)
{
    CUfunction f;
    READY();
    int status = function_ready(host, &f);
    if (status != OK)
        RESULT(status);
    if (!dimensions_fit(grid, block))
        RESULT(INVALID_CONFIGURATION);
    if (shared_bytes > UINT32_MAX)
        RESULT(INVALID_VALUE);
    CUlaunchConfig c = {
        grid.x, grid.y,     grid.z,      block.x, block.y, block.z, (unsigned)shared_bytes,
        stream, attributes, n_attributes};
    RESULT(cuLaunchKernelEx(&c, f, args, NULL));
}

unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared_bytes,
                                     void *stream);
__attribute__((visibility("default"))) unsigned
__cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared_bytes, void *stream)
{
    pending.grid = grid;
    pending.block = block;
    pending.shared_bytes = shared_bytes;
    pending.stream = stream;
    pending.full = true;
    return 0;
}

API(__cudaPopCallConfiguration, struct dim3 *grid, struct dim3 *block, size_t *shared_bytes,
    void **stream)
{
    if (!pending.full)
        return MISSING_CONFIGURATION;
    *grid = pending.grid;
    *block = pending.block;
    *shared_bytes = pending.shared_bytes;
    *stream = pending.stream;
    pending.full = false;
    return OK;
}

API(cudaLaunchKernel, const void *host, struct dim3 grid, struct dim3 block, void **args,
    size_t shared_bytes, void *stream)
{
    return launch(host, grid, block, args, shared_bytes, stream, NULL, 0);
}
API_ALIAS(cudaLaunchKernel_ptsz, cudaLaunchKernel);
API_ALIAS(__cudaLaunchKernel, cudaLaunchKernel);
API_ALIAS(__cudaLaunchKernel_ptsz, cudaLaunchKernel);

API(cudaLaunchCooperativeKernel, const void *host, struct dim3 grid, struct dim3 block, void **args,
    size_t shared_bytes, void *stream)
{
    CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    return launch(host, grid, block, args, shared_bytes, stream, &a, 1);
}
API_ALIAS(cudaLaunchCooperativeKernel_ptsz, cudaLaunchCooperativeKernel);

/* cudaLaunchConfig_t; its attributes have the driver's numbers and layout. */
struct launch_config {
    struct dim3 grid, block;
    size_t shared_bytes;
    void *stream;
    CUlaunchAttribute *attributes;
    unsigned n_attributes;
};

API(cudaLaunchKernelExC, const struct launch_config *c, const void *host, void **args)
{
    if (!c)
        RESULT(INVALID_VALUE);
    return launch(host, c->grid, c->block, args, c->shared_bytes, c->stream, c->attributes,
                  c->n_attributes);
}
API_ALIAS(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC);

/* ---- settings; attribute numbers are the driver's ---- */

/* The kernel behind a host function, for a call that is one call of the driver's. */
#define WITH_FUNCTION(call)                                                                        \
    do {                                                                                           \
        CUfunction f;                                                                              \
        READY();                                                                                   \
        int found = function_ready(host, &f);                                                      \
        RESULT(found == OK ? (int)(call) : found);                                                 \
    } while (0)

API(cudaFuncSetAttribute, const void *host, int which, int value)
{
    WITH_FUNCTION(cuFuncSetAttribute(f, (CUfunction_attribute)which, value));
}

API(cudaFuncSetCacheConfig, const void *host, int value)
{
    WITH_FUNCTION(cuFuncSetCacheConfig(f, (CUfunc_cache)value));
}

API(cudaFuncSetSharedMemConfig, const void *host, int value)
{
    WITH_FUNCTION(cuFuncSetSharedMemConfig(f, (CUsharedconfig)value));
}

API(cudaFuncGetParamInfo, const void *host, size_t index, size_t *offset, size_t *bytes)
{
    WITH_FUNCTION(cuFuncGetParamInfo(f, index, offset, bytes));
}

API(cudaKernelSetAttributeForDevice, const void *host, int which, int value, int index)
{
    WITH_FUNCTION(cuKernelSetAttribute((CUfunction_attribute)which, value, (CUkernel)f, index));
}

API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *blocks, const void *host,
    int threads, size_t dynamic_bytes, unsigned flags)
{
    WITH_FUNCTION(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, threads,
                                                                       dynamic_bytes, flags));
}

API(cudaOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, const void *host, int threads,
    size_t dynamic_bytes)
{
    WITH_FUNCTION(cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, threads, dynamic_bytes));
}

API(cudaOccupancyAvailableDynamicSMemPerBlock, size_t *bytes, const void *host, int blocks,
    int threads)
{
    WITH_FUNCTION(cuOccupancyAvailableDynamicSMemPerBlock(bytes, f, blocks, threads));
}

static CUlaunchConfig to_driver(const struct launch_config *c)
{
    return (CUlaunchConfig){c->grid.x,
                            c->grid.y,
                            c->grid.z,
                            c->block.x,
                            c->block.y,
                            c->block.z,
                            (unsigned)c->shared_bytes,
                            c->stream,
                            c->attributes,
                            c->n_attributes};
}

API(cudaOccupancyMaxActiveClusters, int *clusters, const void *host, const struct launch_config *c)
{
    CUlaunchConfig d = c ? to_driver(c) : (CUlaunchConfig){0};
    WITH_FUNCTION(cuOccupancyMaxActiveClusters(clusters, f, c ? &d : NULL));
}

API(cudaOccupancyMaxPotentialClusterSize, int *size, const void *host,
    const struct launch_config *c)
{
    CUlaunchConfig d = c ? to_driver(c) : (CUlaunchConfig){0};
    WITH_FUNCTION(cuOccupancyMaxPotentialClusterSize(size, f, c ? &d : NULL));
}
