/* wgmma.c - warpgroup matrix multiplication: each warp does its 16 of the 64 rows.
 *
 * Descriptors and layouts as the PTX manual has them ("Matrix descriptor", "Strides"): a matrix
 * lies in groups of 8 rows (or columns) of 16 to 128 bytes, whose 16-byte pieces are swizzled by
 * address. Sums are formed in f32 in the order of K; the unit's own order and rounding are not
 * public. */
#include <string.h>

#include "base/bits.h"
#include "emulator/half.h"
#include "emulator/matrix.h"
#include "emulator/wgmma.h"

#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif

#define ROWS    16
#define MAX_N   256
#define MAX_K   64 /* elements of a byte or more; single bits are taken by bytes */
#define K_BYTES 32 /* of one instruction, whatever the type; B of a sparse A has twice as many */
#define PIECE   16

struct layout {
    uint32_t start, leading, stride; /* bytes */
    uint32_t pattern;                /* bytes of a swizzled row: 16 (none), 32, 64, 128 */
};

static struct layout read_descriptor(uint64_t bits)
{
    static const uint8_t patterns[] = {16, 128, 64, 32};
    return (struct layout){.start = (uint32_t)(bits & 0x3fff) << 4,
                           .leading = (uint32_t)(bits >> 16 & 0x3fff) << 4,
                           .stride = (uint32_t)(bits >> 32 & 0x3fff) << 4,
                           .pattern = patterns[bits >> 62]};
}

/* Where piece `k16` (of 16 bytes along K) of row `mn` lies. */
static uint32_t along_k(const struct layout *l, uint32_t mn, uint32_t k16)
{
    uint32_t a = l->start + mn % 8 * l->pattern + mn / 8 * l->stride;
    return a + k16 * (l->pattern == PIECE ? l->leading : PIECE);
}

/* Where the piece of 8 elements from `mn` on lies, of column k: the rows are contiguous. */
static uint32_t along_mn(const struct layout *l, uint32_t mn, uint32_t k)
{
    uint32_t a = l->start + k % 8 * l->pattern;
    if (l->pattern == PIECE)
        return a + mn / 8 * l->stride + k / 8 * l->leading;
    uint32_t wide = l->pattern / 2;
    return a + mn % wide * 2 + mn / wide * l->leading + k / 8 * l->stride;
}

static uint32_t swizzled(const struct layout *l, uint32_t a)
{
    return l->pattern == PIECE ? a : a ^ (a >> 3 & (l->pattern - 1) & ~15u);
}

/* ---- elements ---- */

static float bits_as_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static float half_float(uint16_t h)
{
    uint32_t low = (uint32_t)(h & 0x7fff) << 13, sign = (uint32_t)(h & 0x8000) << 16;
    float scaled = bits_as_float(low) * 0x1p112f;
    uint32_t bits;
    memcpy(&bits, &scaled, sizeof bits);
    bits = (h & 0x7c00) == 0x7c00 ? low | 0x7f800000u : bits;
    return bits_as_float(bits | sign);
}

static float e4m3_float(uint8_t b)
{
    unsigned exponent = b >> 3 & 15, mantissa = b & 7;
    float sign = b & 0x80 ? -1 : 1;
    if ((b & 0x7f) == 0x7f)
        return bits_as_float(0x7fc00000u);
    return exponent ? sign * (8 + (float)mantissa) * bits_as_float((exponent - 7 - 3 + 127) << 23)
                    : sign * (float)mantissa * 0x1p-9f;
}

static unsigned element_bytes(unsigned type)
{
    return type <= EMU_WG_BF16 ? 2 : type == EMU_WG_TF32 ? 4 : 1;
}

/* The elements of 16 bytes. */
static void convert(const uint8_t *from, unsigned type, float *out)
{
    uint16_t half[8];
    uint32_t word[4];
    memcpy(half, from, sizeof half);
    memcpy(word, from, sizeof word);
    switch (type) {
    case EMU_WG_F16:
        for (unsigned i = 0; i < 8; i++)
            out[i] = half_float(half[i]);
        break;
    case EMU_WG_BF16:
        for (unsigned i = 0; i < 8; i++)
            out[i] = bits_as_float((uint32_t)half[i] << 16);
        break;
    case EMU_WG_TF32: /* the unit reads 10 bits of the mantissa */
        for (unsigned i = 0; i < 4; i++)
            out[i] = bits_as_float(word[i] & 0xffffe000u);
        break;
    case EMU_WG_E4M3:
        for (unsigned i = 0; i < 16; i++)
            out[i] = e4m3_float(from[i]);
        break;
    case EMU_WG_E5M2:
        for (unsigned i = 0; i < 16; i++)
            out[i] = half_float((uint16_t)(from[i] << 8));
        break;
    case EMU_WG_S8:
        for (unsigned i = 0; i < 16; i++)
            out[i] = (int8_t)from[i];
        break;
    default:
        for (unsigned i = 0; i < 16; i++)
            out[i] = from[i];
    }
}

/* Shared memory of one matrix; NULL after a failure. */
static const uint8_t *piece_at(struct emu_warp *w, const struct emu_site *site,
                               const struct layout *l, uint32_t a)
{
    a = swizzled(l, a);
    if (a + PIECE <= w->block->shared_bytes)
        return w->block->shared + a;
    emu_fail(
        w, site, 0, STRATA_EFORMAT,
        "shared address 0x%x is outside: a matrix descriptor leads there, and the block has %u "
        "bytes",
        a, w->block->shared_bytes);
    return NULL;
}

/* B as [k][n] and A as [k][row]: `count` rows or columns from `first` on. */
static bool load_matrix(struct emu_warp *w, const struct emu_site *site, uint64_t descriptor,
                        unsigned type, bool transposed, unsigned first, unsigned count,
                        unsigned k_bytes, float out[MAX_K][MAX_N])
{
    struct layout l = read_descriptor(descriptor);
    unsigned per = PIECE / element_bytes(type);
    float e[PIECE];
    if (transposed) {
        for (unsigned k = 0; k < k_bytes / 2; k++)
            for (unsigned i = 0; i < count; i += 8) {
                const uint8_t *p = piece_at(w, site, &l, along_mn(&l, first + i, k));
                if (!p)
                    return false;
                convert(p, type, &out[k][i]);
            }
        return true;
    }
    for (unsigned i = 0; i < count; i++)
        for (unsigned part = 0; part < k_bytes / PIECE; part++) {
            const uint8_t *p = piece_at(w, site, &l, along_k(&l, first + i, part));
            if (!p)
                return false;
            convert(p, type, e);
            for (unsigned k = 0; k < per; k++)
                out[part * per + k][i] = e[k];
        }
    return true;
}

/* A of this warp from its registers. */
static void gather_a(const struct emu_wgmma *g, const struct emu_wgmma_operands *o,
                     float out[MAX_K][MAX_N])
{
    unsigned bits = 8 * element_bytes(g->a_type), per = 32 / bits;
    struct emu_shape shape = {16, 8, (unsigned char)(K_BYTES * 8 / bits)};
    for (unsigned reg = 0; reg < 4; reg++)
        for (unsigned lane = 0; lane < EMU_LANES; lane++) {
            float e[PIECE];
            uint8_t bytes[PIECE] = {0};
            memcpy(bytes, o->a[reg] + lane, 4);
            convert(bytes, g->a_type, e);
            for (unsigned part = 0; part < per; part++) {
                unsigned row, column;
                emu_fragment_place(shape, EMU_FRAGMENT_A, bits, lane, reg, part, &row, &column);
                out[column][row] = e[part];
            }
        }
}

/* Which columns of A are there, the lanes' metadata tell. */
static void unpack_a(const struct emu_wgmma *g, const uint32_t *metadata, float a[MAX_K][MAX_N])
{
    unsigned bits = 8 * element_bytes(g->a_type);
    struct emu_shape shape = {16, 8, (unsigned char)g->k};
    float packed[MAX_K / 2][ROWS];
    for (unsigned k = 0; k < g->k; k++)
        for (unsigned row = 0; row < ROWS; row++) {
            if (k < g->k / 2u)
                packed[k][row] = a[k][row];
            a[k][row] = 0;
        }
    for (unsigned c = 0; c < g->k / 2u; c++)
        for (unsigned row = 0; row < ROWS; row++)
            a[emu_sparse_column(shape, bits, metadata, g->selector, row, c)][row] = packed[c][row];
}

/* ---- the product ---- */

static void multiply_float(unsigned n, unsigned k_count, float a[MAX_K][MAX_N],
                           float b[MAX_K][MAX_N], float d[ROWS][MAX_N])
{
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned k = 0; k < k_count; k++) {
            float x = a[k][row];
            for (unsigned i = 0; i < n; i++)
                d[row][i] += x * b[k][i];
        }
}

static void multiply_int(unsigned n, unsigned k_count, bool bits, float a[MAX_K][MAX_N],
                         float b[MAX_K][MAX_N], int64_t d[ROWS][MAX_N])
{
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned k = 0; k < k_count; k++)
            for (unsigned i = 0; i < n; i++) {
                int32_t x = (int32_t)a[k][row], y = (int32_t)b[k][i];
                d[row][i] += bits ? (int32_t)popcount32((uint32_t)(x & y)) : x * y;
            }
}

/* Row and column of register j of a lane; two columns a register where halves are packed. */
static void place_d(unsigned lane, unsigned pair, unsigned *row, unsigned *column)
{
    *row = lane / 4 + pair % 2 * 8;
    *column = pair / 2 * 8 + lane % 4 * 2;
}

static void run_float(const struct emu_wgmma *g, const struct emu_wgmma_operands *o,
                      float a[MAX_K][MAX_N], float b[MAX_K][MAX_N])
{
    static const float zero;
    float d[ROWS][MAX_N];
    unsigned row, column;
    memset(d, 0, sizeof d);
    for (unsigned pair = 0; o->keep && pair < g->n / 4u; pair++)
        for (unsigned lane = 0; lane < EMU_LANES; lane++) {
            place_d(lane, pair, &row, &column);
            if (g->d_type == EMU_WG_SUM_F32) {
                d[row][column] = ((const float *)(const void *)o->d[2 * pair])[lane];
                d[row][column + 1] = ((const float *)(const void *)o->d[2 * pair + 1])[lane];
            } else {
                uint32_t bits = o->d[pair][lane];
                d[row][column] = half_float((uint16_t)bits);
                d[row][column + 1] = half_float((uint16_t)(bits >> 16));
            }
        }
    float sign = g->negate_a != g->negate_b ? -1.0f : 1.0f;
    for (unsigned k = 0; sign < zero && k < g->k; k++)
        for (unsigned i = 0; i < ROWS; i++)
            a[k][i] = -a[k][i];
    multiply_float(g->n, g->k, a, b, d);
    for (unsigned pair = 0; pair < g->n / 4u; pair++)
        for (unsigned lane = 0; lane < EMU_LANES; lane++) {
            place_d(lane, pair, &row, &column);
            if (g->d_type == EMU_WG_SUM_F32) {
                ((float *)(void *)o->d[2 * pair])[lane] = d[row][column];
                ((float *)(void *)o->d[2 * pair + 1])[lane] = d[row][column + 1];
            } else {
                uint32_t low = emu_half_from(d[row][column], EMU_ROUND_NEAREST);
                uint32_t high = emu_half_from(d[row][column + 1], EMU_ROUND_NEAREST);
                o->d[pair][lane] = low | high << 16;
            }
        }
}

static int32_t whole(int64_t x, bool saturates)
{
    if (saturates && x != (int32_t)x)
        return x < 0 ? INT32_MIN : INT32_MAX;
    return (int32_t)(uint32_t)(uint64_t)x;
}

static void run_int(const struct emu_wgmma *g, const struct emu_wgmma_operands *o,
                    float a[MAX_K][MAX_N], float b[MAX_K][MAX_N])
{
    int64_t d[ROWS][MAX_N];
    unsigned row, column;
    memset(d, 0, sizeof d);
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned reg = 0; reg < g->n / 2u; reg++)
            for (unsigned lane = 0; lane < EMU_LANES; lane++) {
                int32_t *value = (int32_t *)(void *)o->d[reg] + lane;
                place_d(lane, reg / 2, &row, &column);
                if (pass)
                    *value = whole(d[row][column + reg % 2], g->saturates);
                else
                    d[row][column + reg % 2] = o->keep ? *value : 0;
            }
        if (!pass)
            multiply_int(g->n, g->a_type == EMU_WG_B1 ? K_BYTES : g->k, g->a_type == EMU_WG_B1, a,
                         b, d);
    }
}

void emu_wgmma_run(struct emu_warp *w, const struct emu_site *site, uint32_t mask,
                   const struct emu_wgmma *g, const struct emu_wgmma_operands *o)
{
    unsigned first = w->index % 4 * ROWS;
    static _Thread_local float a[MAX_K][MAX_N], b[MAX_K][MAX_N];
    if (mask != EMU_FULL) {
        emu_fail(w, site, lowest_bit32(mask), STRATA_EFORMAT,
                 "a warpgroup multiplies with all threads of its warps, not with some (0x%08x)",
                 mask);
        return;
    }
    if (g->a_in_registers)
        gather_a(g, o, a);
    else if (!load_matrix(w, site, o->a_desc, g->a_type, g->transpose_a, first, ROWS, K_BYTES, a))
        return;
    if (g->sparse)
        unpack_a(g, o->metadata, a);
    if (!load_matrix(w, site, o->b_desc, g->b_type, g->transpose_b, 0, g->n,
                     g->sparse ? 2 * K_BYTES : K_BYTES, b))
        return;
    if (g->d_type == EMU_WG_SUM_S32)
        run_int(g, o, a, b);
    else
        run_float(g, o, a, b);
    if (w->block->watched)
        emu_record_words(w, site, (const uint64_t[]){o->a_desc, o->b_desc}, 2);
}

/* A sparse product takes the time of a whole one of half its depth, as the vendor states its rate.
 */
int32_t emu_wgmma_number(const struct emu_wgmma *g, bool commits)
{
    static const uint8_t types[] = {STRATA_WGMMA_F16, STRATA_WGMMA_F16, STRATA_WGMMA_TF32,
                                    STRATA_WGMMA_F8,  STRATA_WGMMA_F8,  STRATA_WGMMA_I8,
                                    STRATA_WGMMA_I8,  STRATA_WGMMA_B1};
    return strata_wgmma_pack((struct strata_wgmma_shape){.n = g->n,
                                                         .k = g->sparse ? g->k / 2 : g->k,
                                                         .type = types[g->a_type],
                                                         .a_in_registers = g->a_in_registers,
                                                         .commits = commits});
}
