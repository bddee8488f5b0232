/* texture.c - texture objects. A handle, as kernels hold it, is a place in a table plus one. */
#include "cudart/runtime.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { RESOURCE_ARRAY = 0, RESOURCE_MIPMAP, RESOURCE_LINEAR, RESOURCE_PITCH2D };

/* cudaResourceDesc up to the fields read here. */
struct resource {
    int type;
    union {
        struct array *array;
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

/* cudaTextureDesc */
struct texture_settings {
    int address_mode[3];
    int filter, read_normalized, srgb;
    float border[4];
    int normalized;
};

/* Kept to answer queries. */
struct texture {
    struct strata_texture view;
    struct resource resource;
    struct texture_settings settings;
};

static struct texture **textures;
static const struct strata_texture **views;
static size_t n_textures, cap_textures, cap_views;

const struct strata_texture *const *texture_table(size_t *n)
{
    *n = n_textures;
    return views;
}

static bool set_format(struct strata_texture *t, const struct channel_format *f)
{
    for (int i = 0; i < 4; i++) {
        if (f->bits[i] != 0 && f->bits[i] != 8 && f->bits[i] != 16 && f->bits[i] != 32)
            return false;
        t->channel_bits[i] = (uint8_t)f->bits[i];
    }
    t->texel_kind = (uint8_t)f->kind;
    return f->kind >= 0 && f->kind <= STRATA_TEXEL_FLOAT && f->bits[0];
}

static size_t texel_bytes(const struct channel_format *f)
{
    return (size_t)(f->bits[0] + f->bits[1] + f->bits[2] + f->bits[3]) / 8;
}

static int set_resource(struct strata_texture *t, const struct resource *r)
{
    switch (r->type) {
    case RESOURCE_ARRAY: {
        const struct array *a = r->u.array;
        if (!array_valid(a))
            return INVALID_RESOURCE_HANDLE;
        if (a->extent.depth) {
            runtime_complain("textures of three dimensions or layers are not supported; use one or "
                             "two dimensions.");
            return NOT_SUPPORTED;
        }
        t->data = a->data;
        t->width = a->extent.width;
        t->height = a->extent.height;
        t->pitch_bytes = a->pitch;
        return set_format(t, &a->format) ? OK : INVALID_VALUE;
    }
    case RESOURCE_LINEAR:
        if (!set_format(t, &r->u.linear.format))
            return INVALID_VALUE;
        t->data = r->u.linear.pointer;
        t->width = r->u.linear.bytes / texel_bytes(&r->u.linear.format);
        t->linear_memory = true;
        return OK;
    case RESOURCE_PITCH2D:
        if (!set_format(t, &r->u.pitch2d.format))
            return INVALID_VALUE;
        t->data = r->u.pitch2d.pointer;
        t->width = r->u.pitch2d.width;
        t->height = r->u.pitch2d.height;
        t->pitch_bytes = r->u.pitch2d.pitch;
        return OK;
    default:
        runtime_complain("mipmapped textures are not supported; use an array without mipmaps.");
        return NOT_SUPPORTED;
    }
}

static void set_sampling(struct strata_texture *t, const struct texture_settings *s)
{
    for (int i = 0; i < 3; i++)
        t->address_mode[i] = (uint8_t)s->address_mode[i];
    t->linear_filter = s->filter == 1;
    t->read_normalized = s->read_normalized == 1;
    t->normalized_coordinates = s->normalized != 0;
    memcpy(t->border, s->border, sizeof t->border);
}

static int add_texture(struct texture *t, uint64_t *handle)
{
    size_t slot = 0;
    while (slot < n_textures && textures[slot])
        slot++;
    if (slot == n_textures && (!ARRAY_RESERVE(textures, n_textures, cap_textures, 1) ||
                               !ARRAY_RESERVE(views, n_textures, cap_views, 1)))
        return MEMORY_ALLOCATION;
    n_textures += slot == n_textures;
    textures[slot] = t;
    views[slot] = &t->view;
    *handle = slot + 1;
    return OK;
}

API(cudaCreateTextureObject, uint64_t *handle, const struct resource *resource,
    const struct texture_settings *settings, const void *view)
{
    ENTER();
    if (!handle || !resource || !settings)
        LEAVE(INVALID_VALUE);
    if (view) {
        runtime_complain("resource views of textures are not supported; pass NULL.");
        LEAVE(NOT_SUPPORTED);
    }
    struct texture *t = calloc(1, sizeof *t);
    if (!t)
        LEAVE(MEMORY_ALLOCATION);
    t->resource = *resource;
    t->settings = *settings;
    set_sampling(&t->view, settings);
    int status = set_resource(&t->view, resource);
    if (status == OK)
        status = add_texture(t, handle);
    if (status != OK)
        free(t);
    LEAVE(status);
}

static struct texture *find_texture(uint64_t handle)
{
    return handle && handle <= n_textures ? textures[handle - 1] : NULL;
}

API(cudaDestroyTextureObject, uint64_t handle)
{
    ENTER();
    struct texture *t = find_texture(handle);
    if (!t)
        LEAVE(INVALID_VALUE);
    free(t);
    textures[handle - 1] = NULL;
    views[handle - 1] = NULL;
    LEAVE(OK);
}

API(cudaGetTextureObjectResourceDesc, struct resource *out, uint64_t handle)
{
    ENTER();
    struct texture *t = find_texture(handle);
    if (t)
        *out = t->resource;
    LEAVE(t ? OK : INVALID_VALUE);
}

API(cudaGetTextureObjectTextureDesc, struct texture_settings *out, uint64_t handle)
{
    ENTER();
    struct texture *t = find_texture(handle);
    if (t)
        *out = t->settings;
    LEAVE(t ? OK : INVALID_VALUE);
}
