/* runtime_copy.c - memory copies and fills, as the driver's copies of three dimensions. */
#include "cudart/runtime.h"

#include <string.h>

/* What the caller says about each side; by default the address tells. */
static CUmemorytype side_type(int kind, bool is_source)
{
    if (kind == COPY_DEFAULT)
        return CU_MEMORYTYPE_UNIFIED;
    bool device = is_source ? kind & 2 : kind & 1;
    return device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
}

CUDA_MEMCPY3D copy_rows(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                        size_t height, int kind)
{
    return (CUDA_MEMCPY3D){
        .srcMemoryType = side_type(kind, true),
        .srcHost = src,
        .srcDevice = (CUdeviceptr)(uintptr_t)src,
        .srcPitch = spitch,
        .dstMemoryType = side_type(kind, false),
        .dstHost = dst,
        .dstDevice = (CUdeviceptr)(uintptr_t)dst,
        .dstPitch = dpitch,
        .WidthInBytes = width,
        .Height = height,
        .Depth = 1,
    };
}

/* With an array on either side the width counts texels, else bytes; positions count the elements of
 * their own side. */
int copy_translate(const struct copy3d *c, CUDA_MEMCPY3D *out)
{
    size_t src_unit = c->src_array ? array_texel_bytes(c->src_array) : 1;
    size_t dst_unit = c->dst_array ? array_texel_bytes(c->dst_array) : 1;
    if (!src_unit || !dst_unit)
        return CUDA_ERROR_INVALID_HANDLE;
    if (c->kind < HOST_TO_HOST || c->kind > COPY_DEFAULT)
        return INVALID_MEMCPY_DIRECTION;
    size_t unit = c->src_array ? src_unit : dst_unit;
    *out = copy_rows(c->dst.pointer, c->dst.pitch, c->src.pointer, c->src.pitch,
                     c->extent.width * unit, c->extent.height, c->kind);
    out->Depth = c->extent.depth;
    out->srcXInBytes = c->src_position.x * src_unit;
    out->srcY = c->src_position.y;
    out->srcZ = c->src_position.z;
    out->srcHeight = c->src.ysize;
    out->dstXInBytes = c->dst_position.x * dst_unit;
    out->dstY = c->dst_position.y;
    out->dstZ = c->dst_position.z;
    out->dstHeight = c->dst.ysize;
    if (c->src_array) {
        out->srcMemoryType = CU_MEMORYTYPE_ARRAY;
        out->srcArray = c->src_array;
    }
    if (c->dst_array) {
        out->dstMemoryType = CU_MEMORYTYPE_ARRAY;
        out->dstArray = c->dst_array;
    }
    return OK;
}

static int rows(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                size_t height, int kind, CUstream stream)
{
    READY();
    if (kind < HOST_TO_HOST || kind > COPY_DEFAULT)
        RESULT(INVALID_MEMCPY_DIRECTION);
    if (height > 1 && (dpitch < width || spitch < width))
        RESULT(INVALID_PITCH);
    CUDA_MEMCPY3D c = copy_rows(dst, dpitch, src, spitch, width, height, kind);
    RESULT(cuMemcpy3DAsync_v2(&c, stream));
}

API(cudaMemcpy, void *dst, const void *src, size_t bytes, int kind)
{
    return rows(dst, bytes, src, bytes, bytes, 1, kind, NULL);
}
API_ALIAS(cudaMemcpy_ptds, cudaMemcpy);

API(cudaMemcpyAsync, void *dst, const void *src, size_t bytes, int kind, CUstream stream)
{
    return rows(dst, bytes, src, bytes, bytes, 1, kind, stream);
}
API_ALIAS(cudaMemcpyAsync_ptsz, cudaMemcpyAsync);

API(cudaMemcpyPeerAsync, void *dst, int dst_device, const void *src, int src_device, size_t bytes,
    CUstream stream)
{
    if (dst_device || src_device)
        RESULT(INVALID_DEVICE);
    return rows(dst, bytes, src, bytes, bytes, 1, DEVICE_TO_DEVICE, stream);
}

API(cudaMemcpyPeer, void *dst, int dst_device, const void *src, int src_device, size_t bytes)
{
    return cudaMemcpyPeerAsync(dst, dst_device, src, src_device, bytes, NULL);
}

API(cudaMemcpy2D, void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
    size_t height, int kind)
{
    return rows(dst, dpitch, src, spitch, width, height, kind, NULL);
}
API_ALIAS(cudaMemcpy2D_ptds, cudaMemcpy2D);

API(cudaMemcpy2DAsync, void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
    size_t height, int kind, CUstream stream)
{
    return rows(dst, dpitch, src, spitch, width, height, kind, stream);
}
API_ALIAS(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync);

API(cudaMemcpy3DAsync, const struct copy3d *c, CUstream stream)
{
    CUDA_MEMCPY3D d;
    READY();
    int status = c ? copy_translate(c, &d) : INVALID_VALUE;
    RESULT(status == OK ? (int)cuMemcpy3DAsync_v2(&d, stream) : status);
}
API_ALIAS(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync);

API(cudaMemcpy3D, const struct copy3d *c)
{
    return cudaMemcpy3DAsync(c, NULL);
}
API_ALIAS(cudaMemcpy3D_ptds, cudaMemcpy3D);

/* ---- fills ---- */

static int fill(void *dst, size_t pitch, int value, size_t width, size_t height, CUstream stream)
{
    READY();
    if (height > 1 && pitch < width)
        RESULT(INVALID_PITCH);
    RESULT(cuMemsetD2D8Async((CUdeviceptr)(uintptr_t)dst, pitch, (unsigned char)value, width,
                             height, stream));
}

API(cudaMemset, void *dst, int value, size_t bytes)
{
    return fill(dst, bytes, value, bytes, 1, NULL);
}
API_ALIAS(cudaMemset_ptds, cudaMemset);

API(cudaMemsetAsync, void *dst, int value, size_t bytes, CUstream stream)
{
    return fill(dst, bytes, value, bytes, 1, stream);
}
API_ALIAS(cudaMemsetAsync_ptsz, cudaMemsetAsync);

API(cudaMemset2D, void *dst, size_t pitch, int value, size_t width, size_t height)
{
    return fill(dst, pitch, value, width, height, NULL);
}
API_ALIAS(cudaMemset2D_ptds, cudaMemset2D);

API(cudaMemset2DAsync, void *dst, size_t pitch, int value, size_t width, size_t height,
    CUstream stream)
{
    return fill(dst, pitch, value, width, height, stream);
}
API_ALIAS(cudaMemset2DAsync_ptsz, cudaMemset2DAsync);

API(cudaMemset3DAsync, struct pitched_pointer p, int value, struct extent extent, CUstream stream)
{
    int status = OK;
    for (size_t z = 0; z < extent.depth && status == OK; z++)
        status = fill((uint8_t *)p.pointer + z * p.pitch * p.ysize, p.pitch, value, extent.width,
                      extent.height, stream);
    return status;
}
API_ALIAS(cudaMemset3DAsync_ptsz, cudaMemset3DAsync);

API(cudaMemset3D, struct pitched_pointer p, int value, struct extent extent)
{
    return cudaMemset3DAsync(p, value, extent, NULL);
}
API_ALIAS(cudaMemset3D_ptds, cudaMemset3D);

/* ---- variables of the program ---- */

static int symbol_part(const void *symbol, size_t bytes, size_t offset, uint8_t **out)
{
    CUdeviceptr address;
    size_t size;
    READY();
    int status = symbol_ready(symbol, &address, &size);
    if (status != OK)
        RESULT(status);
    if (offset > size || bytes > size - offset)
        RESULT(INVALID_VALUE);
    *out = (uint8_t *)(uintptr_t)address + offset;
    return OK;
}

API(cudaMemcpyToSymbolAsync, const void *symbol, const void *src, size_t bytes, size_t offset,
    int kind, CUstream stream)
{
    uint8_t *dst;
    int status = symbol_part(symbol, bytes, offset, &dst);
    return status != OK ? status : rows(dst, bytes, src, bytes, bytes, 1, kind, stream);
}
API_ALIAS(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync);

API(cudaMemcpyFromSymbolAsync, void *dst, const void *symbol, size_t bytes, size_t offset, int kind,
    CUstream stream)
{
    uint8_t *src;
    int status = symbol_part(symbol, bytes, offset, &src);
    return status != OK ? status : rows(dst, bytes, src, bytes, bytes, 1, kind, stream);
}
API_ALIAS(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync);

API(cudaMemcpyToSymbol, const void *symbol, const void *src, size_t bytes, size_t offset, int kind)
{
    return cudaMemcpyToSymbolAsync(symbol, src, bytes, offset, kind, NULL);
}
API_ALIAS(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol);

API(cudaMemcpyFromSymbol, void *dst, const void *symbol, size_t bytes, size_t offset, int kind)
{
    return cudaMemcpyFromSymbolAsync(dst, symbol, bytes, offset, kind, NULL);
}
API_ALIAS(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol);
