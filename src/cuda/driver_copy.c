/* driver_copy.c - memory copies and fills of every shape. All of them come down to rows. */
#include "cuda/driver.h"

#include <string.h>

#include <strata/trace.h>

#define PCIE_BYTES_PER_US 25000.0   /* the device's clock for copies: a PCIe 5 link ... */
#define DRAM_BYTES_PER_US 2000000.0 /* ... and memory to memory on the device */
#define COPY_START_US     5.0

static size_t span(const struct side *s, size_t width, size_t height, size_t depth)
{
    return (depth - 1) * s->slice + (height - 1) * s->pitch + width;
}

/* Is [p, p + bytes) inside one allocation? Mapped parts may follow each other. */
static bool inside(uint64_t at, uint64_t bytes)
{
    struct strata_memory_range r;
    while (memory_find(at, &r)) {
        uint64_t left = r.base + r.bytes - at;
        if (bytes <= left)
            return true;
        if (allocation_find(at)->kind != MEMORY_MAPPED)
            return false;
        at += left;
        bytes -= left;
    }
    return false;
}

static CUresult check_side(const struct side *s, size_t bytes, const char *what)
{
    uint64_t at = (uint64_t)(uintptr_t)s->base;
    struct strata_memory_range r;
    if (!s->is_device)
        return s->base ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (inside(at, bytes))
        return CUDA_SUCCESS;
    if (memory_find(at, &r))
        driver_complain(
            "a copy of %zu bytes %s %p runs past the end of its allocation (%llu bytes at %#llx).",
            bytes, what, (void *)s->base, (unsigned long long)r.bytes, (unsigned long long)r.base);
    else
        driver_complain("a copy %s %p, which is not device memory (no allocation gave such an "
                        "address, or it was freed).",
                        what, (void *)s->base);
    return CUDA_ERROR_INVALID_VALUE;
}

static void record_rows(uint32_t event, uint32_t flags, const struct side *s, size_t width,
                        size_t height, size_t depth)
{
    if ((s->pitch == width || height == 1) && (depth == 1 || s->slice == width * height)) {
        record_copy(event, flags, s->base, width * height * depth);
        return;
    }
    for (size_t z = 0; z < depth; z++)
        for (size_t y = 0; y < height; y++)
            record_copy(event, flags, s->base + z * s->slice + y * s->pitch, width);
}

CUresult copy_run(const struct copy *c)
{
    if (!c->width || !c->height || !c->depth)
        return CUDA_SUCCESS;
    CUresult status = check_side(&c->dst, span(&c->dst, c->width, c->height, c->depth), "to");
    if (status == CUDA_SUCCESS)
        status = check_side(&c->src, span(&c->src, c->width, c->height, c->depth), "from");
    if (status != CUDA_SUCCESS)
        return status;
    for (size_t z = 0; z < c->depth; z++)
        for (size_t y = 0; y < c->height; y++)
            memmove(c->dst.base + z * c->dst.slice + y * c->dst.pitch,
                    c->src.base + z * c->src.slice + y * c->src.pitch, c->width);
    /* Device to device reads one place and writes another: both are recorded. */
    uint32_t flags = c->src.is_device && c->dst.is_device ? STRATA_EVENT_ON_DEVICE : 0;
    if (c->src.is_device)
        record_rows(STRATA_EVENT_MEMCPY_DTOH, flags, &c->src, c->width, c->height, c->depth);
    if (c->dst.is_device)
        record_rows(STRATA_EVENT_MEMCPY_HTOD, flags, &c->dst, c->width, c->height, c->depth);
    double rate = c->src.is_device && c->dst.is_device ? DRAM_BYTES_PER_US : PCIE_BYTES_PER_US;
    clock_advance(COPY_START_US + (double)(c->width * c->height * c->depth) / rate);
    return CUDA_SUCCESS;
}

/* One side as the interface describes it. */
struct described {
    CUmemorytype type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    size_t x, y, z, pitch, height;
};

static bool is_device_pointer(CUdeviceptr p)
{
    const struct allocation *a = allocation_find(p);
    return a && a->kind != MEMORY_HOST && a->kind != MEMORY_REGISTERED;
}

static CUresult describe_array(const struct described *d, const CUDA_MEMCPY3D *c, struct side *out)
{
    CUarray a = d->array;
    if (!object_is(a, OBJECT_ARRAY))
        return CUDA_ERROR_INVALID_HANDLE;
    size_t rows = a->descriptor.Height ? a->descriptor.Height : 1;
    size_t slices = a->descriptor.Depth ? a->descriptor.Depth : 1;
    size_t row = a->descriptor.Width * a->texel_bytes;
    if (d->x > row || c->WidthInBytes > row - d->x || d->y > rows || c->Height > rows - d->y ||
        d->z > slices || c->Depth > slices - d->z)
        return CUDA_ERROR_INVALID_VALUE;
    *out =
        (struct side){a->data + d->z * a->slice + d->y * a->pitch + d->x, a->pitch, a->slice, true};
    return CUDA_SUCCESS;
}

static CUresult describe_side(const struct described *d, const CUDA_MEMCPY3D *c, struct side *out)
{
    if (d->type == CU_MEMORYTYPE_ARRAY)
        return describe_array(d, c, out);
    bool on_host = d->type == CU_MEMORYTYPE_HOST;
    if (!on_host && d->type != CU_MEMORYTYPE_DEVICE && d->type != CU_MEMORYTYPE_UNIFIED)
        return CUDA_ERROR_INVALID_VALUE;
    size_t pitch = d->pitch ? d->pitch : c->WidthInBytes + d->x;
    size_t height = d->height ? d->height : c->Height + d->y;
    if ((c->Height > 1 || c->Depth > 1) && pitch < c->WidthInBytes + d->x)
        return CUDA_ERROR_INVALID_VALUE;
    if (c->Depth > 1 && height < c->Height + d->y)
        return CUDA_ERROR_INVALID_VALUE;
    uintptr_t base = on_host ? (uintptr_t)d->host : (uintptr_t)d->device;
    *out = (struct side){
        .base = base ? (uint8_t *)(base + d->z * pitch * height + d->y * pitch + d->x) : NULL,
        .pitch = pitch,
        .slice = pitch * height,
        .is_device = d->type == CU_MEMORYTYPE_DEVICE || (!on_host && is_device_pointer(d->device)),
    };
    return CUDA_SUCCESS;
}

CUresult copy_describe(const CUDA_MEMCPY3D *c, struct copy *out)
{
    const struct described src = {c->srcMemoryType, c->srcHost,     c->srcDevice,
                                  c->srcArray,      c->srcXInBytes, c->srcY,
                                  c->srcZ,          c->srcPitch,    c->srcHeight};
    const struct described dst = {c->dstMemoryType, c->dstHost,     c->dstDevice,
                                  c->dstArray,      c->dstXInBytes, c->dstY,
                                  c->dstZ,          c->dstPitch,    c->dstHeight};
    *out = (struct copy){.width = c->WidthInBytes, .height = c->Height, .depth = c->Depth};
    if (!out->width || !out->height || !out->depth)
        return CUDA_SUCCESS;
    CUresult status = describe_side(&src, c, &out->src);
    return status == CUDA_SUCCESS ? describe_side(&dst, c, &out->dst) : status;
}

/* From here on, zeroes are cheaper as pages that nobody has touched. */
#define LARGE_FILL_BYTES ((size_t)4 << 20)

static void fill_row(uint8_t *at, unsigned value, unsigned element_bytes, size_t count)
{
    if (!value && count * element_bytes >= LARGE_FILL_BYTES &&
        memory_zero(at, count * element_bytes))
        return;
    if (element_bytes == 1) {
        memset(at, (int)value, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        memcpy(at + i * element_bytes, &value, element_bytes);
}

CUresult fill_run(const struct fill *f)
{
    size_t row = f->width * f->element_bytes;
    struct side s = {(uint8_t *)(uintptr_t)f->dst, f->height > 1 ? f->pitch : row,
                     f->pitch * f->height, true};
    if (!row || !f->height)
        return CUDA_SUCCESS;
    if (f->dst % f->element_bytes || (f->height > 1 && f->pitch < row))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult status = check_side(&s, span(&s, row, f->height, 1), "to");
    if (status != CUDA_SUCCESS)
        return status;
    for (size_t y = 0; y < f->height; y++)
        fill_row(s.base + y * s.pitch, f->value, f->element_bytes, f->width);
    record_rows(STRATA_EVENT_MEMSET, 0, &s, row, f->height, 1);
    clock_advance(COPY_START_US + (double)(row * f->height) / DRAM_BYTES_PER_US);
    return CUDA_SUCCESS;
}
