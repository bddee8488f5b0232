/* copy_api.c - the many calls that copy and fill. */
#include "cuda/driver.h"

/* Runs now, or adds to the graph that the stream captures. */
static CUresult submit(const CUDA_MEMCPY3D *c, CUstream stream)
{
    struct copy copy;
    CUstream s;
    if (!stream_find(stream, &s))
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult status = copy_describe(c, &copy);
    if (status != CUDA_SUCCESS)
        return status;
    if (stream_capture(stream))
        return capture_copy(s, &copy, c);
    order_issue_to(stream_order(s), false);
    return copy_run(&copy);
}

static CUresult linear(CUmemorytype to, uint64_t dst, CUmemorytype from, uint64_t src, size_t bytes,
                       CUstream stream)
{
    CUDA_MEMCPY3D c = {
        .srcMemoryType = from,
        .srcHost = (const void *)(uintptr_t)src,
        .srcDevice = src,
        .dstMemoryType = to,
        .dstHost = (void *)(uintptr_t)dst,
        .dstDevice = dst,
        .WidthInBytes = bytes,
        .Height = 1,
        .Depth = 1,
    };
    ENTER(NEED_CONTEXT);
    LEAVE(submit(&c, stream));
}

#define HOST    CU_MEMORYTYPE_HOST
#define DEVICE  CU_MEMORYTYPE_DEVICE
#define UNIFIED CU_MEMORYTYPE_UNIFIED

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
    return linear(UNIFIED, dst, UNIFIED, src, bytes, NULL);
}
ALIAS(cuMemcpy_ptds, cuMemcpy);

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
    return linear(UNIFIED, dst, UNIFIED, src, bytes, stream);
}
ALIAS(cuMemcpyAsync_ptsz, cuMemcpyAsync);

CUresult cuMemcpyHtoD_v2(CUdeviceptr dst, const void *src, size_t bytes)
{
    return linear(DEVICE, dst, HOST, (uint64_t)(uintptr_t)src, bytes, NULL);
}
ALIAS(cuMemcpyHtoD_v2_ptds, cuMemcpyHtoD_v2);

CUresult cuMemcpyDtoH_v2(void *dst, CUdeviceptr src, size_t bytes)
{
    return linear(HOST, (uint64_t)(uintptr_t)dst, DEVICE, src, bytes, NULL);
}
ALIAS(cuMemcpyDtoH_v2_ptds, cuMemcpyDtoH_v2);

CUresult cuMemcpyDtoD_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
    return linear(DEVICE, dst, DEVICE, src, bytes, NULL);
}
ALIAS(cuMemcpyDtoD_v2_ptds, cuMemcpyDtoD_v2);

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void *src, size_t bytes, CUstream stream)
{
    return linear(DEVICE, dst, HOST, (uint64_t)(uintptr_t)src, bytes, stream);
}
ALIAS(cuMemcpyHtoDAsync_v2_ptsz, cuMemcpyHtoDAsync_v2);

CUresult cuMemcpyDtoHAsync_v2(void *dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
    return linear(HOST, (uint64_t)(uintptr_t)dst, DEVICE, src, bytes, stream);
}
ALIAS(cuMemcpyDtoHAsync_v2_ptsz, cuMemcpyDtoHAsync_v2);

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
    return linear(DEVICE, dst, DEVICE, src, bytes, stream);
}
ALIAS(cuMemcpyDtoDAsync_v2_ptsz, cuMemcpyDtoDAsync_v2);

static bool are_contexts(CUcontext a, CUcontext b)
{
    driver_lock();
    bool good = object_is(a, OBJECT_CONTEXT) && object_is(b, OBJECT_CONTEXT);
    driver_unlock();
    return good;
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from,
                           size_t bytes, CUstream stream)
{
    if (!are_contexts(to, from))
        return CUDA_ERROR_INVALID_CONTEXT;
    return linear(DEVICE, dst, DEVICE, src, bytes, stream);
}
ALIAS(cuMemcpyPeerAsync_ptsz, cuMemcpyPeerAsync);

CUresult cuMemcpyPeer(CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from, size_t bytes)
{
    return cuMemcpyPeerAsync(dst, to, src, from, bytes, NULL);
}
ALIAS(cuMemcpyPeer_ptds, cuMemcpyPeer);

/* ---- two and three dimensions ---- */

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *c, CUstream stream)
{
    ENTER(NEED_CONTEXT);
    LEAVE(c ? submit(c, stream) : CUDA_ERROR_INVALID_VALUE);
}
ALIAS(cuMemcpy3DAsync_v2_ptsz, cuMemcpy3DAsync_v2);

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *c)
{
    return cuMemcpy3DAsync_v2(c, NULL);
}
ALIAS(cuMemcpy3D_v2_ptds, cuMemcpy3D_v2);

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *c, CUstream stream)
{
    if (!c)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY3D all = {
        .srcXInBytes = c->srcXInBytes,
        .srcY = c->srcY,
        .srcMemoryType = c->srcMemoryType,
        .srcHost = c->srcHost,
        .srcDevice = c->srcDevice,
        .srcArray = c->srcArray,
        .srcPitch = c->srcPitch,
        .dstXInBytes = c->dstXInBytes,
        .dstY = c->dstY,
        .dstMemoryType = c->dstMemoryType,
        .dstHost = c->dstHost,
        .dstDevice = c->dstDevice,
        .dstArray = c->dstArray,
        .dstPitch = c->dstPitch,
        .WidthInBytes = c->WidthInBytes,
        .Height = c->Height,
        .Depth = 1,
    };
    return cuMemcpy3DAsync_v2(&all, stream);
}
ALIAS(cuMemcpy2DAsync_v2_ptsz, cuMemcpy2DAsync_v2);

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *c)
{
    return cuMemcpy2DAsync_v2(c, NULL);
}
ALIAS(cuMemcpy2D_v2_ptds, cuMemcpy2D_v2);
ALIAS(cuMemcpy2DUnaligned_v2, cuMemcpy2D_v2);
ALIAS(cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2D_v2);

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *c, CUstream stream)
{
    if (!c)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY3D all = {
        .srcXInBytes = c->srcXInBytes,
        .srcY = c->srcY,
        .srcZ = c->srcZ,
        .srcMemoryType = c->srcMemoryType,
        .srcHost = c->srcHost,
        .srcDevice = c->srcDevice,
        .srcArray = c->srcArray,
        .srcPitch = c->srcPitch,
        .srcHeight = c->srcHeight,
        .dstXInBytes = c->dstXInBytes,
        .dstY = c->dstY,
        .dstZ = c->dstZ,
        .dstMemoryType = c->dstMemoryType,
        .dstHost = c->dstHost,
        .dstDevice = c->dstDevice,
        .dstArray = c->dstArray,
        .dstPitch = c->dstPitch,
        .dstHeight = c->dstHeight,
        .WidthInBytes = c->WidthInBytes,
        .Height = c->Height,
        .Depth = c->Depth,
    };
    return cuMemcpy3DAsync_v2(&all, stream);
}
ALIAS(cuMemcpy3DPeerAsync_ptsz, cuMemcpy3DPeerAsync);

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *c)
{
    return cuMemcpy3DPeerAsync(c, NULL);
}
ALIAS(cuMemcpy3DPeer_ptds, cuMemcpy3DPeer);

/* ---- arrays of one dimension; offsets are in bytes ---- */

static CUresult with_array(CUarray array, size_t offset, bool into, CUmemorytype other,
                           uint64_t pointer, size_t bytes, CUstream stream)
{
    CUDA_MEMCPY3D c = {
        .srcMemoryType = into ? other : CU_MEMORYTYPE_ARRAY,
        .srcHost = into ? (const void *)(uintptr_t)pointer : NULL,
        .srcDevice = into ? pointer : 0,
        .srcArray = into ? NULL : array,
        .srcXInBytes = into ? 0 : offset,
        .dstMemoryType = into ? CU_MEMORYTYPE_ARRAY : other,
        .dstHost = into ? NULL : (void *)(uintptr_t)pointer,
        .dstDevice = into ? 0 : pointer,
        .dstArray = into ? array : NULL,
        .dstXInBytes = into ? offset : 0,
        .WidthInBytes = bytes,
        .Height = 1,
        .Depth = 1,
    };
    return cuMemcpy3DAsync_v2(&c, stream);
}

CUresult cuMemcpyDtoA_v2(CUarray dst, size_t offset, CUdeviceptr src, size_t bytes)
{
    return with_array(dst, offset, true, DEVICE, src, bytes, NULL);
}
ALIAS(cuMemcpyDtoA_v2_ptds, cuMemcpyDtoA_v2);

CUresult cuMemcpyAtoD_v2(CUdeviceptr dst, CUarray src, size_t offset, size_t bytes)
{
    return with_array(src, offset, false, DEVICE, dst, bytes, NULL);
}
ALIAS(cuMemcpyAtoD_v2_ptds, cuMemcpyAtoD_v2);

CUresult cuMemcpyHtoAAsync_v2(CUarray dst, size_t offset, const void *src, size_t bytes,
                              CUstream stream)
{
    return with_array(dst, offset, true, HOST, (uint64_t)(uintptr_t)src, bytes, stream);
}
ALIAS(cuMemcpyHtoAAsync_v2_ptsz, cuMemcpyHtoAAsync_v2);

CUresult cuMemcpyHtoA_v2(CUarray dst, size_t offset, const void *src, size_t bytes)
{
    return cuMemcpyHtoAAsync_v2(dst, offset, src, bytes, NULL);
}
ALIAS(cuMemcpyHtoA_v2_ptds, cuMemcpyHtoA_v2);

CUresult cuMemcpyAtoHAsync_v2(void *dst, CUarray src, size_t offset, size_t bytes, CUstream stream)
{
    return with_array(src, offset, false, HOST, (uint64_t)(uintptr_t)dst, bytes, stream);
}
ALIAS(cuMemcpyAtoHAsync_v2_ptsz, cuMemcpyAtoHAsync_v2);

CUresult cuMemcpyAtoH_v2(void *dst, CUarray src, size_t offset, size_t bytes)
{
    return cuMemcpyAtoHAsync_v2(dst, src, offset, bytes, NULL);
}
ALIAS(cuMemcpyAtoH_v2_ptds, cuMemcpyAtoH_v2);

CUresult cuMemcpyAtoA_v2(CUarray dst, size_t dst_offset, CUarray src, size_t src_offset,
                         size_t bytes)
{
    CUDA_MEMCPY3D c = {
        .srcMemoryType = CU_MEMORYTYPE_ARRAY,
        .srcArray = src,
        .srcXInBytes = src_offset,
        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
        .dstArray = dst,
        .dstXInBytes = dst_offset,
        .WidthInBytes = bytes,
        .Height = 1,
        .Depth = 1,
    };
    return cuMemcpy3DAsync_v2(&c, NULL);
}
ALIAS(cuMemcpyAtoA_v2_ptds, cuMemcpyAtoA_v2);

/* ---- several copies in one call ---- */

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *dst, CUdeviceptr *src, size_t *bytes, size_t n,
                               CUmemcpyAttributes *attributes, size_t *starts, size_t n_attributes,
                               CUstream stream)
{
    CUresult status = dst && src && bytes && n && attributes && starts && n_attributes
                          ? CUDA_SUCCESS
                          : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < n && status == CUDA_SUCCESS; i++)
        status = cuMemcpyAsync(dst[i], src[i], bytes[i], stream);
    return status;
}
ALIAS(cuMemcpyBatchAsync_v2_ptsz, cuMemcpyBatchAsync_v2);

CUresult cuMemcpyBatchAsync(CUdeviceptr *dst, CUdeviceptr *src, size_t *bytes, size_t n,
                            CUmemcpyAttributes *attributes, size_t *starts, size_t n_attributes,
                            size_t *failed, CUstream stream)
{
    if (failed)
        *failed = SIZE_MAX;
    return cuMemcpyBatchAsync_v2(dst, src, bytes, n, attributes, starts, n_attributes, stream);
}
ALIAS(cuMemcpyBatchAsync_ptsz, cuMemcpyBatchAsync);

/* ---- fills ---- */

static CUresult fill(struct fill f, CUstream stream)
{
    CUstream s;
    ENTER(NEED_CONTEXT);
    if (!stream_find(stream, &s))
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (stream_capture(stream))
        LEAVE(capture_fill(s, &f));
    order_issue_to(stream_order(s), false);
    LEAVE(fill_run(&f));
}

#define FILL(bits, type, bytes)                                                                    \
    CUresult cuMemsetD##bits##Async(CUdeviceptr dst, type value, size_t n, CUstream stream)        \
    {                                                                                              \
        return fill((struct fill){dst, n * bytes, value, bytes, n, 1}, stream);                    \
    }                                                                                              \
    ALIAS(cuMemsetD##bits##Async_ptsz, cuMemsetD##bits##Async);                                    \
    CUresult cuMemsetD##bits##_v2(CUdeviceptr dst, type value, size_t n)                           \
    {                                                                                              \
        return cuMemsetD##bits##Async(dst, value, n, NULL);                                        \
    }                                                                                              \
    ALIAS(cuMemsetD##bits##_v2_ptds, cuMemsetD##bits##_v2);                                        \
    CUresult cuMemsetD2D##bits##Async(CUdeviceptr dst, size_t pitch, type value, size_t width,     \
                                      size_t height, CUstream stream)                              \
    {                                                                                              \
        return fill((struct fill){dst, pitch, value, bytes, width, height}, stream);               \
    }                                                                                              \
    ALIAS(cuMemsetD2D##bits##Async_ptsz, cuMemsetD2D##bits##Async);                                \
    CUresult cuMemsetD2D##bits##_v2(CUdeviceptr dst, size_t pitch, type value, size_t width,       \
                                    size_t height)                                                 \
    {                                                                                              \
        return cuMemsetD2D##bits##Async(dst, pitch, value, width, height, NULL);                   \
    }                                                                                              \
    ALIAS(cuMemsetD2D##bits##_v2_ptds, cuMemsetD2D##bits##_v2);

FILL(8, unsigned char, 1)
FILL(16, unsigned short, 2)
FILL(32, unsigned int, 4)
