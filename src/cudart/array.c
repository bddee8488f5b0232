/* array.c - cudaArray: texels in rows, and copies in and out of it. */
#include "cudart/runtime.h"

#include <stdlib.h>
#include <string.h>

#define ARRAY_MAGIC 0x41727279u
#define ROW_ALIGN   32
#define BASE_ALIGN  512

bool array_valid(const struct array *a)
{
    return a && a->magic == ARRAY_MAGIC;
}

static int make_array(struct array **out, const struct channel_format *format, struct extent extent,
                      unsigned flags)
{
    int bits = 0;
    if (!out || !format || !extent.width)
        return INVALID_VALUE;
    for (int i = 0; i < 4; i++)
        bits += format->bits[i];
    if (bits <= 0 || bits > 128 || bits % 8)
        return INVALID_VALUE;
    struct array *a = calloc(1, sizeof *a);
    if (!a)
        return MEMORY_ALLOCATION;
    a->magic = ARRAY_MAGIC;
    a->format = *format;
    a->extent = extent;
    a->flags = flags;
    a->texel_bytes = (size_t)bits / 8;
    a->pitch = (extent.width * a->texel_bytes + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
    a->data = memory_allocate(a->pitch * (extent.height ? extent.height : 1) *
                                  (extent.depth ? extent.depth : 1),
                              BASE_ALIGN);
    if (!a->data) {
        free(a);
        return MEMORY_ALLOCATION;
    }
    *out = a;
    return OK;
}

API(cudaMallocArray, struct array **out, const struct channel_format *format, size_t width,
    size_t height, unsigned flags)
{
    ENTER();
    LEAVE(make_array(out, format, (struct extent){width, height, 0}, flags));
}

API(cudaMalloc3DArray, struct array **out, const struct channel_format *format,
    struct extent extent, unsigned flags)
{
    ENTER();
    LEAVE(make_array(out, format, extent, flags));
}

API(cudaFreeArray, struct array *a)
{
    ENTER();
    if (!a)
        LEAVE(OK);
    if (!array_valid(a))
        LEAVE(INVALID_RESOURCE_HANDLE);
    memory_release(a->data);
    a->magic = 0;
    free(a);
    LEAVE(OK);
}

API(cudaArrayGetInfo, struct channel_format *format, struct extent *extent, unsigned *flags,
    struct array *a)
{
    ENTER();
    if (!array_valid(a))
        LEAVE(INVALID_RESOURCE_HANDLE);
    if (format)
        *format = a->format;
    if (extent)
        *extent = a->extent;
    if (flags)
        *flags = a->flags;
    LEAVE(OK);
}

API(cudaGetChannelDesc, struct channel_format *format, const struct array *a)
{
    ENTER();
    if (!array_valid(a))
        LEAVE(INVALID_RESOURCE_HANDLE);
    *format = a->format;
    LEAVE(OK);
}

struct channel_format cudaCreateChannelDesc(int x, int y, int z, int w, int kind);
__attribute__((visibility("default"))) struct channel_format
cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
    return (struct channel_format){{x, y, z, w}, kind};
}

/* Offsets and widths of these calls are in bytes; copy_run wants texels. */
static int to_array(struct array *a, size_t x, size_t y, const void *src, size_t pitch,
                    size_t width, size_t height, int kind)
{
    if (!array_valid(a))
        return INVALID_RESOURCE_HANDLE;
    struct copy3d c = {.src = {(void *)(uintptr_t)src, pitch, width, height},
                       .dst_array = a,
                       .dst_position = {x / a->texel_bytes, y, 0},
                       .extent = {width / a->texel_bytes, height, 1},
                       .kind = kind};
    return copy_run(&c);
}

static int from_array(void *dst, size_t pitch, struct array *a, size_t x, size_t y, size_t width,
                      size_t height, int kind)
{
    if (!array_valid(a))
        return INVALID_RESOURCE_HANDLE;
    struct copy3d c = {.src_array = a,
                       .src_position = {x / a->texel_bytes, y, 0},
                       .dst = {dst, pitch, width, height},
                       .extent = {width / a->texel_bytes, height, 1},
                       .kind = kind};
    return copy_run(&c);
}

/* The one-dimensional forms run on through the rows of the array. */
static int along_rows(struct array *a, size_t x, size_t y, uint8_t *host, size_t bytes, int kind,
                      bool in)
{
    if (!array_valid(a))
        return INVALID_RESOURCE_HANDLE;
    size_t row = a->extent.width * a->texel_bytes;
    int status = OK;
    while (bytes && status == OK) {
        size_t part = row - x < bytes ? row - x : bytes;
        status = in ? to_array(a, x, y, host, part, part, 1, kind)
                    : from_array(host, part, a, x, y, part, 1, kind);
        host += part;
        bytes -= part;
        x = 0;
        y++;
    }
    return status;
}

API(cudaMemcpyToArray, struct array *a, size_t x, size_t y, const void *src, size_t bytes, int kind)
{
    ENTER();
    LEAVE(along_rows(a, x, y, (uint8_t *)(uintptr_t)src, bytes, kind, true));
}
API_ALIAS(cudaMemcpyToArray_ptds, cudaMemcpyToArray, struct array *a, size_t x, size_t y,
          const void *src, size_t bytes, int kind);
API_ALIAS(cudaMemcpyToArrayAsync, cudaMemcpyToArray, struct array *a, size_t x, size_t y,
          const void *src, size_t bytes, int kind);
API_ALIAS(cudaMemcpyToArrayAsync_ptsz, cudaMemcpyToArray, struct array *a, size_t x, size_t y,
          const void *src, size_t bytes, int kind);

API(cudaMemcpyFromArray, void *dst, struct array *a, size_t x, size_t y, size_t bytes, int kind)
{
    ENTER();
    LEAVE(along_rows(a, x, y, dst, bytes, kind, false));
}
API_ALIAS(cudaMemcpyFromArray_ptds, cudaMemcpyFromArray, void *dst, struct array *a, size_t x,
          size_t y, size_t bytes, int kind);
API_ALIAS(cudaMemcpyFromArrayAsync, cudaMemcpyFromArray, void *dst, struct array *a, size_t x,
          size_t y, size_t bytes, int kind);
API_ALIAS(cudaMemcpyFromArrayAsync_ptsz, cudaMemcpyFromArray, void *dst, struct array *a, size_t x,
          size_t y, size_t bytes, int kind);

API(cudaMemcpy2DToArray, struct array *a, size_t x, size_t y, const void *src, size_t pitch,
    size_t width, size_t height, int kind)
{
    ENTER();
    LEAVE(to_array(a, x, y, src, pitch, width, height, kind));
}
API_ALIAS(cudaMemcpy2DToArray_ptds, cudaMemcpy2DToArray, struct array *a, size_t x, size_t y,
          const void *src, size_t pitch, size_t width, size_t height, int kind);
API_ALIAS(cudaMemcpy2DToArrayAsync, cudaMemcpy2DToArray, struct array *a, size_t x, size_t y,
          const void *src, size_t pitch, size_t width, size_t height, int kind);
API_ALIAS(cudaMemcpy2DToArrayAsync_ptsz, cudaMemcpy2DToArray, struct array *a, size_t x, size_t y,
          const void *src, size_t pitch, size_t width, size_t height, int kind);

API(cudaMemcpy2DFromArray, void *dst, size_t pitch, struct array *a, size_t x, size_t y,
    size_t width, size_t height, int kind)
{
    ENTER();
    LEAVE(from_array(dst, pitch, a, x, y, width, height, kind));
}
API_ALIAS(cudaMemcpy2DFromArray_ptds, cudaMemcpy2DFromArray, void *dst, size_t pitch,
          struct array *a, size_t x, size_t y, size_t width, size_t height, int kind);
API_ALIAS(cudaMemcpy2DFromArrayAsync, cudaMemcpy2DFromArray, void *dst, size_t pitch,
          struct array *a, size_t x, size_t y, size_t width, size_t height, int kind);
API_ALIAS(cudaMemcpy2DFromArrayAsync_ptsz, cudaMemcpy2DFromArray, void *dst, size_t pitch,
          struct array *a, size_t x, size_t y, size_t width, size_t height, int kind);

API(cudaMemcpy2DArrayToArray, struct array *dst, size_t dx, size_t dy, struct array *src, size_t sx,
    size_t sy, size_t width, size_t height, int kind)
{
    ENTER();
    if (!array_valid(dst) || !array_valid(src))
        LEAVE(INVALID_RESOURCE_HANDLE);
    struct copy3d c = {.src_array = src,
                       .src_position = {sx / src->texel_bytes, sy, 0},
                       .dst_array = dst,
                       .dst_position = {dx / dst->texel_bytes, dy, 0},
                       .extent = {width / src->texel_bytes, height, 1},
                       .kind = kind};
    LEAVE(copy_run(&c));
}
API_ALIAS(cudaMemcpy2DArrayToArray_ptds, cudaMemcpy2DArrayToArray, struct array *dst, size_t dx,
          size_t dy, struct array *src, size_t sx, size_t sy, size_t width, size_t height,
          int kind);
