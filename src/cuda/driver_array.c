/* driver_array.c - arrays: texels in rows, in device memory; and pyramids of them. */
#include "cuda/driver.h"

#include <stdlib.h>

bool format_describe(CUarray_format format, uint8_t *bits, uint8_t *kind)
{
    static const struct {
        CUarray_format format;
        uint8_t bits, kind;
    } table[] = {
        {CU_AD_FORMAT_UNSIGNED_INT8, 8, STRATA_TEXEL_UNSIGNED},
        {CU_AD_FORMAT_UNSIGNED_INT16, 16, STRATA_TEXEL_UNSIGNED},
        {CU_AD_FORMAT_UNSIGNED_INT32, 32, STRATA_TEXEL_UNSIGNED},
        {CU_AD_FORMAT_SIGNED_INT8, 8, STRATA_TEXEL_SIGNED},
        {CU_AD_FORMAT_SIGNED_INT16, 16, STRATA_TEXEL_SIGNED},
        {CU_AD_FORMAT_SIGNED_INT32, 32, STRATA_TEXEL_SIGNED},
        {CU_AD_FORMAT_HALF, 16, STRATA_TEXEL_FLOAT},
        {CU_AD_FORMAT_FLOAT, 32, STRATA_TEXEL_FLOAT},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].format == format) {
            *bits = table[i].bits;
            *kind = table[i].kind;
            return true;
        }
    return false;
}

static void destroy(struct object *o)
{
    CUarray a = (CUarray)o;
    object_remove(o);
    if (a->data)
        memory_release((uint64_t)(uintptr_t)a->data, false);
    free(a);
}

static size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static CUresult make(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    uint8_t bits, kind;
    uint64_t address, bytes;
    if (!out || !d || !d->Width || !format_describe(d->Format, &bits, &kind))
        return CUDA_ERROR_INVALID_VALUE;
    if (d->NumChannels != 1 && d->NumChannels != 2 && d->NumChannels != 4)
        return CUDA_ERROR_INVALID_VALUE;
    if (d->Depth && !d->Height && !(d->Flags & CUDA_ARRAY3D_LAYERED))
        return CUDA_ERROR_INVALID_VALUE;
    size_t texel = bits / 8u * d->NumChannels, rows = d->Height ? d->Height : 1;
    if (d->Width > (UINT64_MAX >> 8) / texel)
        return CUDA_ERROR_INVALID_VALUE;
    size_t pitch = round_up(d->Width * texel, STRATA_TILE_BYTES), slice;
    if (__builtin_mul_overflow(pitch, round_up(rows, STRATA_TILE_ROWS), &slice) ||
        __builtin_mul_overflow(slice, d->Depth ? d->Depth : 1, &bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUarray a = calloc(1, sizeof *a);
    if (!a || !object_add(&a->object, OBJECT_ARRAY, context_current(), destroy)) {
        free(a);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    a->descriptor = *d;
    a->texel_bytes = texel;
    a->pitch = pitch;
    a->slice = slice;
    CUresult status = memory_allocate(&address, bytes, MEMORY_DEVICE, 0);
    if (status != CUDA_SUCCESS) {
        destroy(&a->object);
        return status;
    }
    allocation_find(address)->owner = NULL; /* the array gives it back */
    a->data = (uint8_t *)(uintptr_t)address;
    *out = a;
    return CUDA_SUCCESS;
}

CUresult cuArray3DCreate_v2(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    ENTER(NEED_CONTEXT);
    LEAVE(make(out, d));
}

CUresult cuArrayCreate_v2(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *d)
{
    ENTER(NEED_CONTEXT);
    if (!d)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUDA_ARRAY3D_DESCRIPTOR all = {
        .Width = d->Width, .Height = d->Height, .Format = d->Format, .NumChannels = d->NumChannels};
    LEAVE(make(out, &all));
}

CUresult cuArrayDestroy(CUarray a)
{
    ENTER(NEED_CONTEXT);
    if (!object_is(a, OBJECT_ARRAY) || a->is_level)
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    destroy(&a->object);
    LEAVE(CUDA_SUCCESS);
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray a)
{
    ENTER(NEED_CONTEXT);
    if (!d)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!object_is(a, OBJECT_ARRAY))
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    *d = a->descriptor;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *d, CUarray a)
{
    CUDA_ARRAY3D_DESCRIPTOR all;
    CUresult status = d ? cuArray3DGetDescriptor_v2(&all, a) : CUDA_ERROR_INVALID_VALUE;
    if (status == CUDA_SUCCESS)
        *d = (CUDA_ARRAY_DESCRIPTOR){all.Width, all.Height, all.Format, all.NumChannels};
    return status;
}

CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *out, CUarray a,
                                      CUdevice which)
{
    ENTER(NEED_CONTEXT);
    if (!out || which != 0)
        LEAVE(out ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE);
    if (!object_is(a, OBJECT_ARRAY))
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    *out = (CUDA_ARRAY_MEMORY_REQUIREMENTS){
        .size = a->slice * (a->descriptor.Depth ? a->descriptor.Depth : 1), .alignment = 512};
    LEAVE(CUDA_SUCCESS);
}

/* ---- mipmapped arrays: one array per level, each half of the one before ---- */

static void destroy_mipmap(struct object *o)
{
    CUmipmappedArray m = (CUmipmappedArray)o;
    object_remove(o);
    for (unsigned i = 0; i < m->n_levels; i++)
        if (object_is(m->level[i], OBJECT_ARRAY))
            destroy(&m->level[i]->object);
    free(m);
}

static size_t half(size_t n)
{
    return n > 1 ? n / 2 : n;
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *out, const CUDA_ARRAY3D_DESCRIPTOR *d,
                                unsigned levels)
{
    ENTER(NEED_CONTEXT);
    if (!out || !d || !levels)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUmipmappedArray m = calloc(1, sizeof *m);
    if (!m || !object_add(&m->object, OBJECT_MIPMAP, context_current(), destroy_mipmap)) {
        free(m);
        LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    }
    m->descriptor = *d;
    CUDA_ARRAY3D_DESCRIPTOR level = *d;
    bool layered = d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    CUresult status = CUDA_SUCCESS;
    size_t largest = d->Width > d->Height ? d->Width : d->Height;
    for (; status == CUDA_SUCCESS && m->n_levels < levels && m->n_levels < 16; m->n_levels++) {
        status = make(&m->level[m->n_levels], &level);
        if (status != CUDA_SUCCESS)
            break;
        m->level[m->n_levels]->is_level = true;
        if ((largest >>= 1) == 0) {
            m->n_levels++;
            break;
        }
        level.Width = half(level.Width);
        level.Height = half(level.Height);
        level.Depth = layered ? level.Depth : half(level.Depth);
    }
    if (status != CUDA_SUCCESS)
        destroy_mipmap(&m->object);
    else
        *out = m;
    LEAVE(status);
}

CUresult cuMipmappedArrayGetLevel(CUarray *out, CUmipmappedArray m, unsigned level)
{
    ENTER(NEED_CONTEXT);
    if (!object_is(m, OBJECT_MIPMAP))
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!out || level >= m->n_levels)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = m->level[level];
    LEAVE(CUDA_SUCCESS);
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray m)
{
    ENTER(NEED_CONTEXT);
    if (!object_is(m, OBJECT_MIPMAP))
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    destroy_mipmap(&m->object);
    LEAVE(CUDA_SUCCESS);
}
