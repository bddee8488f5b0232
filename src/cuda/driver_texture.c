/* driver_texture.c - texture objects. A handle, as kernels hold it, is a place in a table plus one.
 */
#include "cuda/driver.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Kept to answer queries. */
struct texture {
    struct strata_texture view;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC settings;
    CUDA_RESOURCE_VIEW_DESC resource_view;
};

static struct texture **textures;
static const struct strata_texture **views;
static size_t n_textures, cap_textures, cap_views;

const struct strata_texture *const *texture_table(size_t *n)
{
    *n = n_textures;
    return views;
}

static bool set_format(struct strata_texture *t, CUarray_format format, unsigned channels)
{
    uint8_t bits, kind;
    if (!format_describe(format, &bits, &kind) || !channels || channels > 4 || channels == 3)
        return false;
    for (unsigned i = 0; i < 4; i++)
        t->channel_bits[i] = i < channels ? bits : 0;
    t->texel_kind = kind;
    return true;
}

static CUresult set_array(struct strata_texture *t, const struct CUarray_st *a)
{
    t->data = a->data;
    t->depth = a->descriptor.Depth;
    t->layered = a->descriptor.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    t->slice_bytes = a->slice;
    t->width = a->descriptor.Width;
    t->height = a->descriptor.Height;
    t->pitch_bytes = a->pitch;
    t->tiled = true;
    return set_format(t, a->descriptor.Format, a->descriptor.NumChannels)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

static CUresult set_resource(struct strata_texture *t, const CUDA_RESOURCE_DESC *r)
{
    switch (r->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        return object_is(r->res.array.hArray, OBJECT_ARRAY) ? set_array(t, r->res.array.hArray)
                                                            : CUDA_ERROR_INVALID_HANDLE;
    case CU_RESOURCE_TYPE_LINEAR:
        if (!set_format(t, r->res.linear.format, r->res.linear.numChannels))
            return CUDA_ERROR_INVALID_VALUE;
        t->data = (const void *)(uintptr_t)r->res.linear.devPtr;
        t->width =
            r->res.linear.sizeInBytes / (t->channel_bits[0] / 8u * r->res.linear.numChannels);
        t->linear_memory = true;
        return allocation_find(r->res.linear.devPtr) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_RESOURCE_TYPE_PITCH2D:
        if (!set_format(t, r->res.pitch2D.format, r->res.pitch2D.numChannels))
            return CUDA_ERROR_INVALID_VALUE;
        t->data = (const void *)(uintptr_t)r->res.pitch2D.devPtr;
        t->width = r->res.pitch2D.width;
        t->height = r->res.pitch2D.height;
        t->pitch_bytes = r->res.pitch2D.pitchInBytes;
        return allocation_find(r->res.pitch2D.devPtr) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        driver_complain("mipmapped textures are not supported; use an array without mipmaps.");
        return CUDA_ERROR_NOT_SUPPORTED;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static void set_sampling(struct strata_texture *t, const CUDA_TEXTURE_DESC *s)
{
    for (int i = 0; i < 3; i++)
        t->address_mode[i] = (uint8_t)s->addressMode[i];
    t->linear_filter = s->filterMode == CU_TR_FILTER_MODE_LINEAR;
    /* Integers of 8 and 16 bits become fractions unless told otherwise. */
    t->read_normalized = !(s->flags & CU_TRSF_READ_AS_INTEGER) &&
                         t->texel_kind != STRATA_TEXEL_FLOAT && t->channel_bits[0] < 32;
    t->normalized_coordinates = (s->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    memcpy(t->border, s->borderColor, sizeof t->border);
}

static bool add_texture(struct texture *t, CUtexObject *handle)
{
    size_t slot = 0;
    while (slot < n_textures && textures[slot])
        slot++;
    if (slot == n_textures && (!ARRAY_RESERVE(textures, n_textures, cap_textures, 1) ||
                               !ARRAY_RESERVE(views, n_textures, cap_views, 1)))
        return false;
    n_textures += slot == n_textures;
    textures[slot] = t;
    views[slot] = &t->view;
    *handle = slot + 1;
    return true;
}

CUresult cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *resource,
                           const CUDA_TEXTURE_DESC *settings, const CUDA_RESOURCE_VIEW_DESC *view)
{
    ENTER(NEED_CONTEXT);
    if (!out || !resource || !settings)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (view && view->format != CU_RES_VIEW_FORMAT_NONE) {
        driver_complain("resource views of textures are not supported; pass NULL.");
        LEAVE(CUDA_ERROR_NOT_SUPPORTED);
    }
    struct texture *t = calloc(1, sizeof *t);
    if (!t)
        LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    t->resource = *resource;
    t->settings = *settings;
    if (view)
        t->resource_view = *view;
    CUresult status = set_resource(&t->view, resource);
    set_sampling(&t->view, settings);
    if (status == CUDA_SUCCESS && !add_texture(t, out))
        status = CUDA_ERROR_OUT_OF_MEMORY;
    if (status != CUDA_SUCCESS)
        free(t);
    LEAVE(status);
}

static struct texture *find_texture(CUtexObject handle)
{
    return handle && handle <= n_textures ? textures[handle - 1] : NULL;
}

CUresult cuTexObjectDestroy(CUtexObject handle)
{
    ENTER(NEED_CONTEXT);
    struct texture *t = find_texture(handle);
    if (!t)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    free(t);
    textures[handle - 1] = NULL;
    views[handle - 1] = NULL;
    LEAVE(CUDA_SUCCESS);
}

/* One of the descriptions that a texture was made from. */
#define TEXTURE_FACT(name, type, member)                                                           \
    CUresult name(type *out, CUtexObject handle)                                                   \
    {                                                                                              \
        ENTER(NEED_CONTEXT);                                                                       \
        const struct texture *t = find_texture(handle);                                            \
        if (!out || !t)                                                                            \
            LEAVE(CUDA_ERROR_INVALID_VALUE);                                                       \
        *out = t->member;                                                                          \
        LEAVE(CUDA_SUCCESS);                                                                       \
    }

TEXTURE_FACT(cuTexObjectGetResourceDesc, CUDA_RESOURCE_DESC, resource)
TEXTURE_FACT(cuTexObjectGetTextureDesc, CUDA_TEXTURE_DESC, settings)
TEXTURE_FACT(cuTexObjectGetResourceViewDesc, CUDA_RESOURCE_VIEW_DESC, resource_view)
