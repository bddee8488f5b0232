/* texture.c - texture objects: addressing, filtering, conversion of texels. */
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/texture.h"
#include "trace/texel_layout.h"

unsigned emu_texel_bytes(const struct strata_texture *t)
{
    return (t->channel_bits[0] + t->channel_bits[1] + t->channel_bits[2] + t->channel_bits[3]) / 8u;
}

static uint64_t row_bytes(const struct strata_texture *t)
{
    return t->pitch_bytes ? t->pitch_bytes : t->width * emu_texel_bytes(t);
}

/* ---- reading one texel ---- */

static float normalized(const struct strata_texture *t, int64_t value, unsigned bits)
{
    if (t->texel_kind == STRATA_TEXEL_UNSIGNED)
        return (float)value / (float)((1ll << bits) - 1);
    float x = (float)value / (float)((1ll << (bits - 1)) - 1);
    return x < -1.0f ? -1.0f : x;
}

static void read_channel(const struct strata_texture *t, const uint8_t *at, unsigned bits,
                         uint32_t *out, float *value)
{
    uint32_t raw = 0;
    memcpy(&raw, at, bits / 8);
    if (t->texel_kind == STRATA_TEXEL_FLOAT) {
        if (bits == 16) {
            *value = (float)emu_texel_half(raw);
            memcpy(out, value, sizeof *value);
        } else {
            *out = raw;
            memcpy(value, &raw, sizeof *value);
        }
        return;
    }
    int64_t number = raw;
    if (t->texel_kind == STRATA_TEXEL_SIGNED)
        number = bits == 8 ? (int8_t)raw : bits == 16 ? (int16_t)raw : (int32_t)raw;
    *out = (uint32_t)number;
    *value = (float)number;
    if (t->read_normalized && bits < 32) {
        *value = normalized(t, number, bits);
        memcpy(out, value, sizeof *value);
    }
}

static void read_texel(const struct strata_texture *t, uint64_t x, uint64_t y,
                       struct emu_texel *out)
{
    const uint8_t *at = (const uint8_t *)t->data + y * row_bytes(t) + x * emu_texel_bytes(t);
    memset(out, 0, sizeof *out);
    for (unsigned c = 0; c < 4; c++) {
        if (!t->channel_bits[c])
            continue;
        read_channel(t, at, t->channel_bits[c], &out->bits[c], &out->value[c]);
        at += t->channel_bits[c] / 8;
    }
}

static void border_texel(const struct strata_texture *t, struct emu_texel *out)
{
    memset(out, 0, sizeof *out);
    bool as_float = t->texel_kind == STRATA_TEXEL_FLOAT || t->read_normalized;
    for (unsigned c = 0; c < 4; c++) {
        out->value[c] = t->border[c];
        if (as_float)
            memcpy(&out->bits[c], &t->border[c], sizeof(float));
        else
            out->bits[c] = (uint32_t)(int32_t)t->border[c];
    }
}

/* ---- addressing ---- */

/* Where an index lands; false: outside, the border counts. */
static bool place_index(unsigned mode, int64_t i, uint64_t size, uint64_t *out)
{
    int64_t n = (int64_t)size;
    if (!n)
        return false;
    if (i >= 0 && i < n) {
        *out = (uint64_t)i;
        return true;
    }
    switch (mode) {
    case STRATA_TEXTURE_WRAP:
        *out = (uint64_t)((i % n + n) % n);
        return true;
    case STRATA_TEXTURE_MIRROR: {
        int64_t m = (i % (2 * n) + 2 * n) % (2 * n);
        *out = (uint64_t)(m < n ? m : 2 * n - 1 - m);
        return true;
    }
    case STRATA_TEXTURE_BORDER:
        return false;
    default:
        *out = i < 0 ? 0 : size - 1;
        return true;
    }
}

/* Wrapping and mirroring exist for normalized coordinates only; hardware clamps otherwise. */
static unsigned mode_of(const struct strata_texture *t, unsigned axis)
{
    unsigned mode = t->address_mode[axis];
    if (!t->normalized_coordinates &&
        (mode == STRATA_TEXTURE_WRAP || mode == STRATA_TEXTURE_MIRROR))
        return STRATA_TEXTURE_CLAMP;
    return mode;
}

static uint64_t recorded_address(const struct strata_texture *t, uint64_t column, uint64_t row)
{
    uint64_t x_bytes = column * emu_texel_bytes(t);
    return (uint64_t)(uintptr_t)t->data + (t->tiled ? texel_tiled_offset(row_bytes(t), x_bytes, row)
                                                    : row * row_bytes(t) + x_bytes);
}

void emu_texture_fetch(const struct strata_texture *t, int64_t x, int64_t y, struct emu_texel *out,
                       uint64_t *address)
{
    uint64_t column, row = 0, height = t->height ? t->height : 1;
    bool inside = t->linear_memory
                      ? x >= 0 && (uint64_t)x < t->width && (column = (uint64_t)x, true)
                      : place_index(mode_of(t, 0), x, t->width, &column) &&
                            place_index(mode_of(t, 1), y, height, &row);
    if (!inside) {
        if (t->linear_memory)
            memset(out, 0, sizeof *out);
        else
            border_texel(t, out);
        return;
    }
    read_texel(t, column, row, out);
    *address = recorded_address(t, column, row);
}

/* A coordinate that would overflow an index is far outside anyway. */
static int64_t to_index(float x)
{
    return x != x ? 0 : x > 1e9f ? 1000000000 : x < -1e9f ? -1000000000 : (int64_t)floorf(x);
}

/* The hardware keeps the fraction in 8 bits. */
static float fraction(float x)
{
    float f = x - floorf(x);
    return floorf(f * 256.0f + 0.5f) / 256.0f;
}

static void filter(const struct strata_texture *t, float x, float y, struct emu_texel *out,
                   uint64_t *address)
{
    struct emu_texel corner[4];
    float fx = x - 0.5f, fy = t->height ? y - 0.5f : 0;
    int64_t i = to_index(fx), j = t->height ? to_index(fy) : 0;
    float a = fraction(fx), b = t->height ? fraction(fy) : 0;
    emu_texture_fetch(t, i + 1, j + 1, &corner[3], address);
    emu_texture_fetch(t, i, j + 1, &corner[2], address);
    emu_texture_fetch(t, i + 1, j, &corner[1], address);
    emu_texture_fetch(t, i, j, &corner[0], address);
    for (unsigned c = 0; c < 4; c++) {
        float low = (1 - a) * corner[0].value[c] + a * corner[1].value[c];
        float high = (1 - a) * corner[2].value[c] + a * corner[3].value[c];
        out->value[c] = (1 - b) * low + b * high;
        memcpy(&out->bits[c], &out->value[c], sizeof(float));
    }
    out->mixed = (uint8_t)((a != 0) | (b != 0) << 1);
}

void emu_texture_sample(const struct strata_texture *t, float x, float y, struct emu_texel *out,
                        uint64_t *address)
{
    if (t->normalized_coordinates) {
        x *= (float)t->width;
        y *= (float)(t->height ? t->height : 1);
    }
    bool floats = t->texel_kind == STRATA_TEXEL_FLOAT || t->read_normalized;
    if (t->linear_filter && floats && !t->linear_memory)
        filter(t, x, y, out, address);
    else
        emu_texture_fetch(t, to_index(x), t->height ? to_index(y) : 0, out, address);
}

/* ---- three dimensions and layers ---- */

static struct strata_texture slice(const struct strata_texture *t, uint64_t z)
{
    struct strata_texture one = *t;
    uint64_t rows = t->height ? t->height : 1;
    uint64_t bytes = t->slice_bytes ? t->slice_bytes : rows * row_bytes(t);
    one.data = (const uint8_t *)t->data + z * bytes;
    one.depth = 0;
    return one;
}

struct strata_texture emu_texture_layer(const struct strata_texture *t, uint32_t layer)
{
    uint64_t layers = t->depth ? t->depth : 1;
    return slice(t, layer < layers ? layer : layers - 1);
}

/* The slice an index lands in; false: outside, the border counts. */
static bool place_slice(const struct strata_texture *t, int64_t z, struct strata_texture *out)
{
    uint64_t at;
    if (!place_index(mode_of(t, 2), z, t->depth ? t->depth : 1, &at))
        return false;
    *out = slice(t, at);
    return true;
}

void emu_texture_fetch_3d(const struct strata_texture *t, int64_t x, int64_t y, int64_t z,
                          struct emu_texel *out, uint64_t *address)
{
    struct strata_texture one;
    if (place_slice(t, z, &one))
        emu_texture_fetch(&one, x, y, out, address);
    else
        border_texel(t, out);
}

static void sample_slice(const struct strata_texture *t, float x, float y, int64_t z,
                         struct emu_texel *out, uint64_t *address)
{
    struct strata_texture one;
    if (place_slice(t, z, &one))
        emu_texture_sample(&one, x, y, out, address);
    else
        border_texel(t, out);
}

void emu_texture_sample_3d(const struct strata_texture *t, float x, float y, float z,
                           struct emu_texel *out, uint64_t *address)
{
    if (t->normalized_coordinates)
        z *= (float)(t->depth ? t->depth : 1);
    bool floats = t->texel_kind == STRATA_TEXEL_FLOAT || t->read_normalized;
    if (!t->linear_filter || !floats) {
        sample_slice(t, x, y, to_index(z), out, address);
        return;
    }
    struct emu_texel far;
    float f = fraction(z - 0.5f);
    int64_t k = to_index(z - 0.5f);
    sample_slice(t, x, y, k + 1, &far, address);
    sample_slice(t, x, y, k, out, address);
    for (unsigned c = 0; c < 4; c++) {
        out->value[c] = (1 - f) * out->value[c] + f * far.value[c];
        memcpy(&out->bits[c], &out->value[c], sizeof(float));
    }
    out->mixed = (uint8_t)(out->mixed | far.mixed | (f != 0) << 2);
}

/* ---- cubes ---- */

/* CUDA C++ programming guide, cubemap textures: the face that a direction meets, and where. */
struct face {
    unsigned layer;
    float m, s, t;
};
static struct face face_of(float x, float y, float z)
{
    float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    if (ax >= ay && ax >= az)
        return x >= 0 ? (struct face){0, ax, -z, -y} : (struct face){1, ax, z, -y};
    if (ay >= az)
        return y >= 0 ? (struct face){2, ay, x, z} : (struct face){3, ay, x, -z};
    return z >= 0 ? (struct face){4, az, x, -y} : (struct face){5, az, -x, -y};
}

/* A face ends at its edges: filters do not go on to the next. */
static void sample_cube(const struct strata_texture *t, float x, float y, float z,
                        struct emu_texel *out, uint64_t *address)
{
    struct face f = face_of(x, y, z);
    struct strata_texture face = emu_texture_layer(t, f.layer);
    face.normalized_coordinates = false;
    face.address_mode[0] = face.address_mode[1] = STRATA_TEXTURE_CLAMP;
    emu_texture_sample(&face, (f.s / f.m + 1) / 2 * (float)face.width,
                       (f.t / f.m + 1) / 2 * (float)face.height, out, address);
}

/* ---- any of them ---- */

void emu_texture_read(const struct strata_texture *t, struct emu_geometry g, bool floats,
                      const struct emu_coordinates *at, struct emu_texel *out, uint64_t *address)
{
    struct strata_texture layer;
    float x[3] = {0};
    int32_t n[3] = {0};
    memcpy(floats ? (void *)x : (void *)n, at->bits, g.axes * sizeof at->bits[0]);
    out->mixed = 0;
    if (g.layered) {
        layer = emu_texture_layer(t, at->layer);
        t = &layer;
    }
    if (g.cube)
        sample_cube(t, x[0], x[1], x[2], out, address);
    else if (floats && g.axes == 3)
        emu_texture_sample_3d(t, x[0], x[1], x[2], out, address);
    else if (floats)
        emu_texture_sample(t, x[0], x[1], out, address);
    else if (g.axes == 3)
        emu_texture_fetch_3d(t, n[0], n[1], n[2], out, address);
    else
        emu_texture_fetch(t, n[0], n[1], out, address);
}

/* ---- for the trace ---- */

static uint32_t at_least_one(uint64_t n)
{
    return !n ? 1 : n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

/* Which axes wrap, as bits. */
static uint8_t wrapping_axes(const struct strata_texture *t)
{
    unsigned axes = 0;
    for (unsigned i = 0; i < 3; i++)
        axes |= (mode_of(t, i) == STRATA_TEXTURE_WRAP) << i;
    return (uint8_t)axes;
}

struct strata_launch_texture strata_texture_describe(const struct strata_texture *t)
{
    uint64_t rows = t->height ? t->height : 1;
    bool floats = t->texel_kind == STRATA_TEXEL_FLOAT || t->read_normalized;
    return (struct strata_launch_texture){
        .base = (uint64_t)(uintptr_t)t->data,
        .pitch_bytes = row_bytes(t),
        .slice_bytes = t->slice_bytes ? t->slice_bytes : rows * row_bytes(t),
        .width = at_least_one(t->width),
        .height = at_least_one(t->height),
        .depth = at_least_one(t->depth),
        .texels = t->linear_memory ? STRATA_TEXELS_LINEAR
                  : t->tiled       ? STRATA_TEXELS_TILED
                                   : STRATA_TEXELS_PITCHED,
        .texel_bytes = (uint8_t)emu_texel_bytes(t),
        .wraps = wrapping_axes(t),
        .layered = t->layered,
        .filters = t->linear_filter && floats && !t->linear_memory};
}

/* ---- for instructions ---- */

const struct strata_texture *emu_texture(struct emu_warp *w, const struct emu_site *site,
                                         unsigned lane, uint64_t handle)
{
    const struct strata_kernel_launch *l = w->block->run->launch;
    if (handle && handle <= l->n_textures && l->textures[handle - 1])
        return l->textures[handle - 1];
    emu_fail(w, site, lane, STRATA_EFORMAT, "0x%llx is not a texture object",
             (unsigned long long)handle);
    return NULL;
}
