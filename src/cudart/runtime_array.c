/* runtime_array.c - cudaArray, copies in and out of it, and texture objects: the driver's, in the
 * runtime's words. */
#include "cudart/runtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* ---- formats ---- */

bool format_to_driver(const struct channel_format *f, CUarray_format *format, unsigned *channels)
{
    static const CUarray_format table[3][3] = {
        {CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_SIGNED_INT32},
        {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32},
        {0, CU_AD_FORMAT_HALF, CU_AD_FORMAT_FLOAT},
    };
    int bits = f->bits[0], size = bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : -1;
    if (size < 0 || f->kind < 0 || f->kind > 2 || !table[f->kind][size])
        return false;
    *channels = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (f->bits[i] && (f->bits[i] != bits || *channels != i))
            return false;
        *channels += f->bits[i] != 0;
    }
    *format = table[f->kind][size];
    return *channels == 1 || *channels == 2 || *channels == 4;
}

struct channel_format format_from_driver(CUarray_format format, unsigned channels)
{
    struct channel_format f = {{0}, 0};
    int bits = 0;
    for (int kind = 0; kind < 3 && !bits; kind++)
        for (int size = 8; size <= 32 && !bits; size *= 2) {
            struct channel_format one = {{size}, kind};
            CUarray_format same;
            unsigned n;
            if (format_to_driver(&one, &same, &n) && same == format) {
                bits = size;
                f.kind = kind;
            }
        }
    for (unsigned i = 0; i < channels && i < 4; i++)
        f.bits[i] = bits;
    return f;
}

size_t array_texel_bytes(CUarray a)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    if (cuArray3DGetDescriptor_v2(&d, a) != CUDA_SUCCESS)
        return 0;
    return (size_t)format_from_driver(d.Format, 1).bits[0] / 8 * d.NumChannels;
}

struct channel_format cudaCreateChannelDesc(int x, int y, int z, int w, int kind);
__attribute__((visibility("default"))) struct channel_format
cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
    return (struct channel_format){{x, y, z, w}, kind};
}

/* ---- arrays; flags have the driver's bits ---- */

static bool describe(const struct channel_format *format, struct extent extent, unsigned flags,
                     CUDA_ARRAY3D_DESCRIPTOR *d)
{
    *d = (CUDA_ARRAY3D_DESCRIPTOR){
        .Width = extent.width, .Height = extent.height, .Depth = extent.depth, .Flags = flags};
    return format && format_to_driver(format, &d->Format, &d->NumChannels);
}

API(cudaMalloc3DArray, CUarray *out, const struct channel_format *format, struct extent extent,
    unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    READY();
    RESULT(describe(format, extent, flags, &d) ? (int)cuArray3DCreate_v2(out, &d) : INVALID_VALUE);
}

API(cudaMallocArray, CUarray *out, const struct channel_format *format, size_t width, size_t height,
    unsigned flags)
{
    return cudaMalloc3DArray(out, format, (struct extent){width, height, 0}, flags);
}

API(cudaFreeArray, CUarray a)
{
    if (!a)
        return OK;
    PASS(cuArrayDestroy(a));
}

API(cudaArrayGetInfo, struct channel_format *format, struct extent *extent, unsigned *flags,
    CUarray a)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    READY();
    CUresult status = cuArray3DGetDescriptor_v2(&d, a);
    if (status != CUDA_SUCCESS)
        RESULT(status);
    if (format)
        *format = format_from_driver(d.Format, d.NumChannels);
    if (extent)
        *extent = (struct extent){d.Width, d.Height, d.Depth};
    if (flags)
        *flags = d.Flags;
    return OK;
}

API(cudaGetChannelDesc, struct channel_format *format, CUarray a)
{
    return format ? cudaArrayGetInfo(format, NULL, NULL, a) : runtime_result(INVALID_VALUE);
}

API(cudaMallocMipmappedArray, CUmipmappedArray *out, const struct channel_format *format,
    struct extent extent, unsigned levels, unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    READY();
    RESULT(describe(format, extent, flags, &d) ? (int)cuMipmappedArrayCreate(out, &d, levels)
                                               : INVALID_VALUE);
}

API(cudaGetMipmappedArrayLevel, CUarray *out, CUmipmappedArray m, unsigned level)
{
    PASS(cuMipmappedArrayGetLevel(out, m, level));
}

API(cudaFreeMipmappedArray, CUmipmappedArray m)
{
    if (!m)
        return OK;
    PASS(cuMipmappedArrayDestroy(m));
}

/* ---- copies whose offsets and widths are in bytes ---- */

static int with_array(CUarray a, size_t x, size_t y, void *other, size_t pitch, size_t width,
                      size_t height, int kind, bool into, CUstream stream)
{
    READY();
    CUDA_MEMCPY3D c = into ? copy_rows(NULL, 0, other, pitch, width, height, kind)
                           : copy_rows(other, pitch, NULL, 0, width, height, kind);
    if (into) {
        c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        c.dstArray = a;
        c.dstXInBytes = x;
        c.dstY = y;
    } else {
        c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        c.srcArray = a;
        c.srcXInBytes = x;
        c.srcY = y;
    }
    RESULT(cuMemcpy3DAsync_v2(&c, stream));
}

/* The one-dimensional forms run on through the rows of the array. */
static int along_rows(CUarray a, size_t x, size_t y, uint8_t *other, size_t bytes, int kind,
                      bool into, CUstream stream)
{
    struct extent extent;
    int status = cudaArrayGetInfo(NULL, &extent, NULL, a);
    size_t row = status == OK ? extent.width * array_texel_bytes(a) : 0;
    while (bytes && status == OK) {
        if (x >= row)
            RESULT(INVALID_VALUE);
        size_t part = row - x < bytes ? row - x : bytes;
        status = with_array(a, x, y, other, part, part, 1, kind, into, stream);
        other += part;
        bytes -= part;
        x = 0;
        y++;
    }
    return status;
}

static void *without_const(const void *p)
{
    return (void *)(uintptr_t)p;
}

API(cudaMemcpyToArrayAsync, CUarray a, size_t x, size_t y, const void *src, size_t bytes, int kind,
    CUstream stream)
{
    return along_rows(a, x, y, without_const(src), bytes, kind, true, stream);
}
API_ALIAS(cudaMemcpyToArrayAsync_ptsz, cudaMemcpyToArrayAsync);

API(cudaMemcpyToArray, CUarray a, size_t x, size_t y, const void *src, size_t bytes, int kind)
{
    return along_rows(a, x, y, without_const(src), bytes, kind, true, NULL);
}
API_ALIAS(cudaMemcpyToArray_ptds, cudaMemcpyToArray);

API(cudaMemcpyFromArrayAsync, void *dst, CUarray a, size_t x, size_t y, size_t bytes, int kind,
    CUstream stream)
{
    return along_rows(a, x, y, dst, bytes, kind, false, stream);
}
API_ALIAS(cudaMemcpyFromArrayAsync_ptsz, cudaMemcpyFromArrayAsync);

API(cudaMemcpyFromArray, void *dst, CUarray a, size_t x, size_t y, size_t bytes, int kind)
{
    return along_rows(a, x, y, dst, bytes, kind, false, NULL);
}
API_ALIAS(cudaMemcpyFromArray_ptds, cudaMemcpyFromArray);

API(cudaMemcpy2DToArrayAsync, CUarray a, size_t x, size_t y, const void *src, size_t pitch,
    size_t width, size_t height, int kind, CUstream stream)
{
    return with_array(a, x, y, without_const(src), pitch, width, height, kind, true, stream);
}
API_ALIAS(cudaMemcpy2DToArrayAsync_ptsz, cudaMemcpy2DToArrayAsync);

API(cudaMemcpy2DToArray, CUarray a, size_t x, size_t y, const void *src, size_t pitch, size_t width,
    size_t height, int kind)
{
    return with_array(a, x, y, without_const(src), pitch, width, height, kind, true, NULL);
}
API_ALIAS(cudaMemcpy2DToArray_ptds, cudaMemcpy2DToArray);

API(cudaMemcpy2DFromArrayAsync, void *dst, size_t pitch, CUarray a, size_t x, size_t y,
    size_t width, size_t height, int kind, CUstream stream)
{
    return with_array(a, x, y, dst, pitch, width, height, kind, false, stream);
}
API_ALIAS(cudaMemcpy2DFromArrayAsync_ptsz, cudaMemcpy2DFromArrayAsync);

API(cudaMemcpy2DFromArray, void *dst, size_t pitch, CUarray a, size_t x, size_t y, size_t width,
    size_t height, int kind)
{
    return with_array(a, x, y, dst, pitch, width, height, kind, false, NULL);
}
API_ALIAS(cudaMemcpy2DFromArray_ptds, cudaMemcpy2DFromArray);

API(cudaMemcpy2DArrayToArray, CUarray dst, size_t dx, size_t dy, CUarray src, size_t sx, size_t sy,
    size_t width, size_t height, int kind)
{
    (void)kind;
    READY();
    CUDA_MEMCPY3D c = {
        .srcMemoryType = CU_MEMORYTYPE_ARRAY,
        .srcArray = src,
        .srcXInBytes = sx,
        .srcY = sy,
        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
        .dstArray = dst,
        .dstXInBytes = dx,
        .dstY = dy,
        .WidthInBytes = width,
        .Height = height,
        .Depth = 1,
    };
    RESULT(cuMemcpy3D_v2(&c));
}
API_ALIAS(cudaMemcpy2DArrayToArray_ptds, cudaMemcpy2DArrayToArray);

/* ---- texture objects ---- */

/* cudaResourceDesc; types have the driver's numbers. */
struct resource {
    int type;
    union {
        CUarray array;
        CUmipmappedArray mipmap;
        struct {
            void *pointer;
            struct channel_format format;
            size_t bytes;
        } linear;
        struct {
            void *pointer;
            struct channel_format format;
            size_t width, height, pitch;
        } pitch2d;
    } u;
};

/* cudaTextureDesc up to the fields read here */
struct texture_settings {
    int address_mode[3];
    int filter, read_normalized, srgb;
    float border[4];
    int normalized;
};

static int resource_to_driver(const struct resource *r, CUDA_RESOURCE_DESC *d)
{
    bool good = true;
    memset(d, 0, sizeof *d);
    d->resType = (CUresourcetype)r->type;
    switch (r->type) {
    case CU_RESOURCE_TYPE_ARRAY:
        d->res.array.hArray = r->u.array;
        break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        d->res.mipmap.hMipmappedArray = r->u.mipmap;
        break;
    case CU_RESOURCE_TYPE_LINEAR:
        d->res.linear.devPtr = (CUdeviceptr)(uintptr_t)r->u.linear.pointer;
        d->res.linear.sizeInBytes = r->u.linear.bytes;
        good = format_to_driver(&r->u.linear.format, &d->res.linear.format,
                                &d->res.linear.numChannels);
        break;
    case CU_RESOURCE_TYPE_PITCH2D:
        d->res.pitch2D.devPtr = (CUdeviceptr)(uintptr_t)r->u.pitch2d.pointer;
        d->res.pitch2D.width = r->u.pitch2d.width;
        d->res.pitch2D.height = r->u.pitch2d.height;
        d->res.pitch2D.pitchInBytes = r->u.pitch2d.pitch;
        good = format_to_driver(&r->u.pitch2d.format, &d->res.pitch2D.format,
                                &d->res.pitch2D.numChannels);
        break;
    default:
        good = false;
    }
    return good ? OK : INVALID_VALUE;
}

static CUDA_TEXTURE_DESC settings_to_driver(const struct texture_settings *s)
{
    CUDA_TEXTURE_DESC d = {.filterMode = (CUfilter_mode)s->filter};
    for (int i = 0; i < 3; i++)
        d.addressMode[i] = (CUaddress_mode)s->address_mode[i];
    memcpy(d.borderColor, s->border, sizeof d.borderColor);
    d.flags = (s->read_normalized ? 0 : CU_TRSF_READ_AS_INTEGER) |
              (s->normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0) | (s->srgb ? CU_TRSF_SRGB : 0);
    return d;
}

/* Kept to answer in the runtime's words. */
struct texture {
    CUtexObject handle;
    struct resource resource;
    struct texture_settings settings;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct texture *textures;
static size_t n_textures, cap_textures;

static void remember(CUtexObject handle, const struct resource *r, const struct texture_settings *s)
{
    pthread_mutex_lock(&lock);
    if (ARRAY_RESERVE(textures, n_textures, cap_textures, 1))
        textures[n_textures++] = (struct texture){handle, *r, *s};
    pthread_mutex_unlock(&lock);
}

/* False: not known. */
static bool recall(CUtexObject handle, struct texture *out, bool forget)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < n_textures && !found; i++)
        if (textures[i].handle == handle) {
            found = true;
            *out = textures[i];
            if (forget)
                textures[i] = textures[--n_textures];
        }
    pthread_mutex_unlock(&lock);
    return found;
}

API(cudaCreateTextureObject, CUtexObject *handle, const struct resource *resource,
    const struct texture_settings *settings, const CUDA_RESOURCE_VIEW_DESC *view)
{
    CUDA_RESOURCE_DESC r;
    READY();
    int status = handle && resource && settings ? resource_to_driver(resource, &r) : INVALID_VALUE;
    if (status != OK)
        RESULT(status);
    CUDA_TEXTURE_DESC s = settings_to_driver(settings);
    status = (int)cuTexObjectCreate(handle, &r, &s, view);
    if (status == OK)
        remember(*handle, resource, settings);
    RESULT(status);
}

API(cudaDestroyTextureObject, CUtexObject handle)
{
    struct texture t;
    READY();
    recall(handle, &t, true);
    RESULT(cuTexObjectDestroy(handle));
}

API(cudaGetTextureObjectResourceDesc, struct resource *out, CUtexObject handle)
{
    struct texture t;
    READY();
    bool found = out && recall(handle, &t, false);
    if (found)
        *out = t.resource;
    RESULT(found ? OK : INVALID_VALUE);
}

API(cudaGetTextureObjectTextureDesc, struct texture_settings *out, CUtexObject handle)
{
    struct texture t;
    READY();
    bool found = out && recall(handle, &t, false);
    if (found)
        *out = t.settings;
    RESULT(found ? OK : INVALID_VALUE);
}
