/* entry.c - how programs find functions, what they can ask of none in particular, and what this
 * library offers beyond the driver's interface. */
#include <string.h>

#include "cuda/driver.h"
#include "cuda/module.h"
#include "cuda/proc_address.h"

CUresult cuGetProcAddress_v2(const char *name, void **out, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *result)
{
    bool any_version;
    if (!name || !out || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
        return CUDA_ERROR_INVALID_VALUE;
    *out = proc_find(name, version, flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                     &any_version);
    if (result)
        *result = *out          ? CU_GET_PROC_ADDRESS_SUCCESS
                  : any_version ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *out || result ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char *name, void **out, int version, cuuint64_t flags)
{
    return cuGetProcAddress_v2(name, out, version, flags, NULL);
}

/* Tables of functions that are in no public interface, for NVIDIA's own libraries. None is offered:
 * a runtime that is linked into a program is replaced as a whole instead (see src/preload). */
CUresult cuGetExportTable(const void **out, const CUuuid *id)
{
    if (!out || !id)
        return CUDA_ERROR_INVALID_VALUE;
    *out = NULL;
    return CUDA_ERROR_NOT_FOUND;
}

/* ---- the profiler's switch: `strata trace` records by its own filters ---- */

CUresult cuProfilerStart(void)
{
    ENTER(NEED_CONTEXT);
    LEAVE(CUDA_SUCCESS);
}

CUresult cuProfilerStop(void)
{
    ENTER(NEED_CONTEXT);
    LEAVE(CUDA_SUCCESS);
}

CUresult cuProfilerInitialize(const char *settings, const char *output, int mode)
{
    (void)settings, (void)output, (void)mode;
    return CUDA_ERROR_NOT_SUPPORTED; /* as every driver since CUDA 11 */
}

/* ---- beyond the interface ---- */

int strata_cuda_refuse(const char *name, bool *told);
int strata_cuda_offer_ptx(const void *cubin, size_t cubin_bytes, const char *ptx, size_t ptx_bytes);

/* For unsupported.c, which must not see the prototypes. */
int strata_cuda_refuse(const char *name, bool *told)
{
    ENTER(NEED_NOTHING);
    LEAVE(driver_refuse(name, told));
}

/* Called by the Python module's hook for Triton: the PTX a cubin was made from. 0: kept. */
int strata_cuda_offer_ptx(const void *cubin, size_t cubin_bytes, const char *ptx, size_t ptx_bytes)
{
    driver_lock();
    bool kept = cubin && cubin_bytes && ptx && image_offer(cubin, cubin_bytes, ptx, ptx_bytes);
    driver_unlock();
    return kept ? 0 : CUDA_ERROR_INVALID_VALUE;
}
