/* copy.c - memory copies and fills of every shape. All of them come down to rows. */
#include "cudart/runtime.h"

#include <string.h>

#define PCIE_BYTES_PER_US 25000.0   /* the device's clock for copies: a PCIe 5 link ... */
#define DRAM_BYTES_PER_US 2000000.0 /* ... and memory to memory on the device */
#define COPY_START_US     5.0

/* One side of a copy, in bytes. */
struct side {
    uint8_t *base;
    size_t pitch, slice;
};

/* Is [p, p + bytes) inside one allocation? */
static bool on_device(const void *p, size_t bytes)
{
    struct strata_memory_range r;
    uint64_t at = (uint64_t)(uintptr_t)p;
    return memory_find(at, &r) && bytes <= r.base + r.bytes - at;
}

static int resolve_kind(int kind, const void *dst, const void *src)
{
    if (kind != COPY_DEFAULT)
        return kind;
    return (on_device(src, 1) ? 2 : 0) | (on_device(dst, 1) ? 1 : 0);
}

static int wrong_side(const char *what, const void *p, size_t bytes)
{
    struct strata_memory_range r;
    uint64_t at = (uint64_t)(uintptr_t)p;
    if (memory_find(at, &r))
        runtime_complain(
            "a copy of %zu bytes %s %p runs past the end of its allocation (%llu bytes at %#llx).",
            bytes, what, p, (unsigned long long)r.bytes, (unsigned long long)r.base);
    else
        runtime_complain(
            "a copy %s %p, which is not device memory (cudaMalloc gave no such address, or it was "
            "freed).",
            what, p);
    return INVALID_VALUE;
}

static size_t span(const struct side *s, size_t width, size_t height, size_t depth)
{
    return width && height && depth ? (depth - 1) * s->slice + (height - 1) * s->pitch + width : 0;
}

static void record_rows(uint32_t event, const struct side *s, size_t width, size_t height,
                        size_t depth)
{
    if (s->pitch == width && (depth == 1 || s->slice == width * height)) {
        record_copy(event, s->base, width * height * depth);
        return;
    }
    for (size_t z = 0; z < depth; z++)
        for (size_t y = 0; y < height; y++)
            record_copy(event, s->base + z * s->slice + y * s->pitch, width);
}

static int copy_rows(struct side dst, struct side src, size_t width, size_t height, size_t depth,
                     int kind)
{
    if (!width || !height || !depth)
        return OK;
    if (kind < HOST_TO_HOST || kind > COPY_DEFAULT)
        return INVALID_MEMCPY_DIRECTION;
    if ((height > 1 && (dst.pitch < width || src.pitch < width)))
        return INVALID_PITCH;
    if (!dst.base || !src.base)
        return INVALID_VALUE;
    kind = resolve_kind(kind, dst.base, src.base);
    if (kind & 1 && !on_device(dst.base, span(&dst, width, height, depth)))
        return wrong_side("to", dst.base, span(&dst, width, height, depth));
    if (kind & 2 && !on_device(src.base, span(&src, width, height, depth)))
        return wrong_side("from", src.base, span(&src, width, height, depth));
    for (size_t z = 0; z < depth; z++)
        for (size_t y = 0; y < height; y++)
            memmove(dst.base + z * dst.slice + y * dst.pitch,
                    src.base + z * src.slice + y * src.pitch, width);
    /* Device to device reads one place and writes another: both are recorded. */
    if (kind & 2)
        record_rows(STRATA_EVENT_MEMCPY_DTOH, &src, width, height, depth);
    if (kind & 1)
        record_rows(STRATA_EVENT_MEMCPY_HTOD, &dst, width, height, depth);
    double rate = kind == DEVICE_TO_DEVICE ? DRAM_BYTES_PER_US : PCIE_BYTES_PER_US;
    clock_advance(COPY_START_US + (double)(width * height * depth) / rate);
    return OK;
}

int copy_linear(void *dst, const void *src, size_t bytes, int kind)
{
    struct side d = {dst, bytes, bytes}, s = {(void *)(uintptr_t)src, bytes, bytes};
    return copy_rows(d, s, bytes, 1, 1, kind);
}

static bool array_side(struct array *a, struct position p, struct side *out)
{
    if (!array_valid(a))
        return false;
    size_t rows = a->extent.height ? a->extent.height : 1;
    *out = (struct side){a->data + p.z * a->pitch * rows + p.y * a->pitch + p.x * a->texel_bytes,
                         a->pitch, a->pitch * rows};
    return true;
}

static void pointer_side(const struct pitched_pointer *p, struct position at, size_t row_bytes,
                         struct side *out)
{
    size_t pitch = p->pitch ? p->pitch : row_bytes;
    size_t rows = p->ysize ? p->ysize : 1;
    *out = (struct side){(uint8_t *)p->pointer + at.z * pitch * rows + at.y * pitch + at.x, pitch,
                         pitch * rows};
}

/* With an array on either side the width counts texels, else bytes. */
int copy_run(const struct copy3d *c)
{
    struct side dst, src;
    size_t unit = c->src_array   ? c->src_array->texel_bytes
                  : c->dst_array ? c->dst_array->texel_bytes
                                 : 1;
    size_t width = c->extent.width * unit;
    if (c->src_array ? !array_side(c->src_array, c->src_position, &src)
                     : (pointer_side(&c->src, c->src_position, width, &src), false))
        return INVALID_RESOURCE_HANDLE;
    if (c->dst_array ? !array_side(c->dst_array, c->dst_position, &dst)
                     : (pointer_side(&c->dst, c->dst_position, width, &dst), false))
        return INVALID_RESOURCE_HANDLE;
    return copy_rows(dst, src, width, c->extent.height ? c->extent.height : 1,
                     c->extent.depth ? c->extent.depth : 1, c->kind);
}

static void fill_row(uint8_t *at, unsigned value, unsigned element_bytes, size_t count)
{
    if (element_bytes == 1) {
        memset(at, (int)value, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        memcpy(at + i * element_bytes, &value, element_bytes);
}

int set_run(void *dst, size_t pitch, unsigned value, unsigned element_bytes, size_t width,
            size_t height)
{
    struct side s = {dst, pitch, pitch * height};
    size_t row = width * element_bytes;
    if (!row || !height)
        return OK;
    if (height > 1 && pitch < row)
        return INVALID_PITCH;
    if (!on_device(dst, span(&s, row, height, 1)))
        return wrong_side("to", dst, span(&s, row, height, 1));
    for (size_t y = 0; y < height; y++)
        fill_row(s.base + y * pitch, value, element_bytes, width);
    if (height == 1)
        s.pitch = row;
    record_rows(STRATA_EVENT_MEMSET, &s, row, height, 1);
    clock_advance(COPY_START_US + (double)(row * height) / DRAM_BYTES_PER_US);
    return OK;
}

/* Runs now, or adds to the graph that the stream captures. */
static int submit(const struct copy3d *c, const void *stream)
{
    struct graph *g = stream_capture(stream_id(stream));
    return g ? graph_add_copy(g, c) : copy_run(c);
}

static int submit_rows(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                       size_t height, int kind, const void *stream)
{
    struct copy3d c = {.src = {(void *)(uintptr_t)src, spitch, width, height},
                       .dst = {dst, dpitch, width, height},
                       .extent = {width, height, 1},
                       .kind = kind};
    if (!width || !height)
        return OK;
    if (height > 1 && (dpitch < width || spitch < width))
        return INVALID_PITCH;
    return submit(&c, stream);
}

static int submit_set(void *dst, size_t pitch, int value, size_t width, size_t height,
                      const void *stream)
{
    struct graph *g = stream_capture(stream_id(stream));
    return g ? graph_add_set(g, dst, pitch, (unsigned)value & 255, 1, width, height)
             : set_run(dst, pitch, (unsigned)value & 255, 1, width, height);
}

API(cudaMemcpy, void *dst, const void *src, size_t bytes, int kind)
{
    ENTER();
    LEAVE(copy_linear(dst, src, bytes, kind));
}
API_ALIAS(cudaMemcpy_ptds, cudaMemcpy, void *dst, const void *src, size_t bytes, int kind);

API(cudaMemcpyAsync, void *dst, const void *src, size_t bytes, int kind, void *stream)
{
    ENTER();
    LEAVE(submit_rows(dst, bytes, src, bytes, bytes, 1, kind, stream));
}
API_ALIAS(cudaMemcpyAsync_ptsz, cudaMemcpyAsync, void *dst, const void *src, size_t bytes, int kind,
          void *stream);

API(cudaMemcpyPeer, void *dst, int dst_device, const void *src, int src_device, size_t bytes)
{
    ENTER();
    LEAVE(dst_device || src_device ? INVALID_DEVICE
                                   : copy_linear(dst, src, bytes, DEVICE_TO_DEVICE));
}

API(cudaMemcpyPeerAsync, void *dst, int dst_device, const void *src, int src_device, size_t bytes,
    void *stream)
{
    ENTER();
    if (dst_device || src_device)
        LEAVE(INVALID_DEVICE);
    LEAVE(submit_rows(dst, bytes, src, bytes, bytes, 1, DEVICE_TO_DEVICE, stream));
}

API(cudaMemcpy2D, void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
    size_t height, int kind)
{
    ENTER();
    LEAVE(submit_rows(dst, dpitch, src, spitch, width, height, kind, NULL));
}
API_ALIAS(cudaMemcpy2D_ptds, cudaMemcpy2D, void *dst, size_t dpitch, const void *src, size_t spitch,
          size_t width, size_t height, int kind);

API(cudaMemcpy2DAsync, void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
    size_t height, int kind, void *stream)
{
    ENTER();
    LEAVE(submit_rows(dst, dpitch, src, spitch, width, height, kind, stream));
}
API_ALIAS(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync, void *dst, size_t dpitch, const void *src,
          size_t spitch, size_t width, size_t height, int kind, void *stream);

API(cudaMemcpy3D, const struct copy3d *c)
{
    ENTER();
    LEAVE(c ? copy_run(c) : INVALID_VALUE);
}
API_ALIAS(cudaMemcpy3D_ptds, cudaMemcpy3D, const struct copy3d *c);

API(cudaMemcpy3DAsync, const struct copy3d *c, void *stream)
{
    ENTER();
    LEAVE(c ? submit(c, stream) : INVALID_VALUE);
}
API_ALIAS(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync, const struct copy3d *c, void *stream);

API(cudaMemset, void *dst, int value, size_t bytes)
{
    ENTER();
    LEAVE(set_run(dst, bytes, (unsigned)value & 255, 1, bytes, 1));
}
API_ALIAS(cudaMemset_ptds, cudaMemset, void *dst, int value, size_t bytes);

API(cudaMemsetAsync, void *dst, int value, size_t bytes, void *stream)
{
    ENTER();
    LEAVE(submit_set(dst, bytes, value, bytes, 1, stream));
}
API_ALIAS(cudaMemsetAsync_ptsz, cudaMemsetAsync, void *dst, int value, size_t bytes, void *stream);

API(cudaMemset2D, void *dst, size_t pitch, int value, size_t width, size_t height)
{
    ENTER();
    LEAVE(set_run(dst, pitch, (unsigned)value & 255, 1, width, height));
}
API_ALIAS(cudaMemset2D_ptds, cudaMemset2D, void *dst, size_t pitch, int value, size_t width,
          size_t height);

API(cudaMemset2DAsync, void *dst, size_t pitch, int value, size_t width, size_t height,
    void *stream)
{
    ENTER();
    LEAVE(submit_set(dst, pitch, value, width, height, stream));
}
API_ALIAS(cudaMemset2DAsync_ptsz, cudaMemset2DAsync, void *dst, size_t pitch, int value,
          size_t width, size_t height, void *stream);

API(cudaMemset3D, struct pitched_pointer p, int value, struct extent extent)
{
    ENTER();
    int status = OK;
    for (size_t z = 0; z < extent.depth && status == OK; z++)
        status = set_run((uint8_t *)p.pointer + z * p.pitch * p.ysize, p.pitch,
                         (unsigned)value & 255, 1, extent.width, extent.height);
    LEAVE(status);
}
API_ALIAS(cudaMemset3D_ptds, cudaMemset3D, struct pitched_pointer p, int value,
          struct extent extent);
API_ALIAS(cudaMemset3DAsync, cudaMemset3D, struct pitched_pointer p, int value,
          struct extent extent);
API_ALIAS(cudaMemset3DAsync_ptsz, cudaMemset3D, struct pitched_pointer p, int value,
          struct extent extent);

/* ---- variables of the program ---- */

static int symbol_part(const void *symbol, size_t bytes, size_t offset, uint8_t **out)
{
    void *address;
    size_t size;
    if (!symbol_find(symbol, &address, &size))
        return INVALID_SYMBOL;
    if (offset > size || bytes > size - offset)
        return INVALID_VALUE;
    *out = (uint8_t *)address + offset;
    return OK;
}

API(cudaMemcpyToSymbolAsync, const void *symbol, const void *src, size_t bytes, size_t offset,
    int kind, void *stream)
{
    ENTER();
    uint8_t *dst;
    int status = symbol_part(symbol, bytes, offset, &dst);
    LEAVE(status != OK ? status : submit_rows(dst, bytes, src, bytes, bytes, 1, kind, stream));
}
API_ALIAS(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync, const void *symbol,
          const void *src, size_t bytes, size_t offset, int kind, void *stream);

API(cudaMemcpyFromSymbolAsync, void *dst, const void *symbol, size_t bytes, size_t offset, int kind,
    void *stream)
{
    ENTER();
    uint8_t *src;
    int status = symbol_part(symbol, bytes, offset, &src);
    LEAVE(status != OK ? status : submit_rows(dst, bytes, src, bytes, bytes, 1, kind, stream));
}
API_ALIAS(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync, void *dst, const void *symbol,
          size_t bytes, size_t offset, int kind, void *stream);

API(cudaMemcpyToSymbol, const void *symbol, const void *src, size_t bytes, size_t offset, int kind)
{
    ENTER();
    uint8_t *dst;
    int status = symbol_part(symbol, bytes, offset, &dst);
    LEAVE(status != OK ? status : copy_linear(dst, src, bytes, kind));
}
API_ALIAS(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol, const void *symbol, const void *src,
          size_t bytes, size_t offset, int kind);

API(cudaMemcpyFromSymbol, void *dst, const void *symbol, size_t bytes, size_t offset, int kind)
{
    ENTER();
    uint8_t *src;
    int status = symbol_part(symbol, bytes, offset, &src);
    LEAVE(status != OK ? status : copy_linear(dst, src, bytes, kind));
}
API_ALIAS(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol, void *dst, const void *symbol,
          size_t bytes, size_t offset, int kind);
