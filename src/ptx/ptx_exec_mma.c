/* ptx_exec_mma.c - matrix multiply-accumulate and the loads and stores that feed it.
 *
 * Products are exact in double, the sum of a row and a column is formed in double and rounded once.
 * Hardware adds in an order and precision of its own: results agree within a few ulp of the largest
 * term. */
#include <string.h>

#include "base/bits.h"
#include "emulator/half.h"
#include "ptx/handlers.h"
#include "ptx/matrix.h"

static bool is_short(unsigned type)
{
    return type == PTX_F16 || type == PTX_BF16;
}

unsigned ptx_element_bits(unsigned type)
{
    if (type == PTX_MMA_B1)
        return 32;
    return type == PTX_MMA_S4 || type == PTX_MMA_U4 ? 4 : ptx_type_bytes(type) * 8;
}

/* ---- elements ---- */

double ptx_element_get(const struct ptx_warp *w, uint32_t ref, unsigned lane, unsigned part,
                       unsigned type)
{
    uint32_t bits = type == PTX_F64 ? 0 : ((const uint32_t *)ptx_ref(w, ref))[lane];
    float f;
    switch (type) {
    case PTX_F64:
        return ((const double *)ptx_ref(w, ref))[lane];
    case PTX_F16:
        return emu_half_value((uint16_t)(bits >> (16 * part)));
    case PTX_BF16:
        return emu_bfloat_value((uint16_t)(bits >> (16 * part)));
    case PTX_S8:
        return (int8_t)(bits >> (8 * part));
    case PTX_U8:
        return (uint8_t)(bits >> (8 * part));
    case PTX_E4M3:
        return emu_e4m3_value((uint8_t)(bits >> (8 * part)));
    case PTX_E5M2:
        return emu_e5m2_value((uint8_t)(bits >> (8 * part)));
    case PTX_MMA_S4:
        return (int32_t)((bits >> (4 * part) & 15) ^ 8) - 8;
    case PTX_MMA_U4:
        return bits >> (4 * part) & 15;
    case PTX_MMA_B1:
        return bits;
    case PTX_S32:
        return (int32_t)bits;
    case PTX_TF32:
        bits &= 0xffffe000u;
        break; /* the unit reads 10 mantissa bits */
    default:
        break;
    }
    memcpy(&f, &bits, sizeof f);
    return f;
}

void ptx_element_put(struct ptx_warp *w, uint32_t ref, unsigned lane, unsigned half, unsigned type,
                     bool saturates, double value)
{
    if (type == PTX_F64) {
        ((double *)ptx_ref(w, ref))[lane] = value;
        return;
    }
    uint32_t *bits = (uint32_t *)ptx_ref(w, ref) + lane;
    if (type == PTX_F16) {
        uint32_t h = emu_half_from(value, EMU_ROUND_NEAREST);
        *bits = half ? (*bits & 0xffffu) | h << 16 : (*bits & 0xffff0000u) | h;
        return;
    }
    if (type == PTX_S32) {
        *bits = emu_whole_sum(value, saturates);
        return;
    }
    float f = emu_float_from(value, EMU_ROUND_NEAREST);
    memcpy(bits, &f, sizeof f);
}

struct operands {
    const struct ptx_warp *w;
    const struct ptx_mma *mma;
};

static double operand(const void *operands, unsigned fragment, unsigned reg, unsigned lane,
                      unsigned part)
{
    const struct operands *o = operands;
    const struct ptx_mma *mma = o->mma;
    const uint32_t *const refs[] = {mma->a, mma->b, mma->c};
    const uint8_t types[] = {mma->a_type, mma->b_type, mma->c_type};
    return ptx_element_get(o->w, refs[fragment][reg], lane, part, types[fragment]);
}

static struct emu_product product_of(const struct ptx_warp *w, const struct operands *operands)
{
    const struct ptx_mma *mma = operands->mma;
    return (struct emu_product){.shape = mma->shape,
                                .bits = {(uint8_t)ptx_element_bits(mma->a_type),
                                         (uint8_t)ptx_element_bits(mma->b_type),
                                         (uint8_t)ptx_element_bits(mma->c_type)},
                                .of_bits = mma->a_type == PTX_MMA_B1,
                                .exclusive = mma->exclusive,
                                .sparse = mma->sparse,
                                .metadata = mma->sparse ? ptx_ref(w, mma->metadata) : NULL,
                                .selector = mma->selector,
                                .operands = operands,
                                .element = operand};
}

void ptx_run_mma(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const struct ptx_mma *mma = in->extra;
    double c[EMU_MAX_SIDE][EMU_MAX_SIDE];
    struct operands operands = {w, mma};
    struct emu_product product = product_of(w, &operands);
    emu_product_form(&product, c);
    unsigned n = emu_fragment_registers(mma->shape, EMU_FRAGMENT_C, ptx_element_bits(mma->d_type)),
             row, column;
    for (unsigned reg = 0; reg < n; reg++)
        for (unsigned half = 0; half < (is_short(mma->d_type) ? 2u : 1u); half++)
            for (uint32_t rest = mask; rest; rest &= rest - 1) {
                unsigned lane = lowest_bit32(rest);
                emu_fragment_place(mma->shape, EMU_FRAGMENT_C, ptx_element_bits(mma->d_type), lane,
                                   reg, half, &row, &column);
                ptx_element_put(w, mma->d[reg], lane, half, mma->d_type, mma->saturates,
                                c[row][column]);
            }
}

/* ---- wmma.load and wmma.store ---- */

static unsigned element_bytes(unsigned type)
{
    return ptx_element_bits(type) / 8;
}

/* Rows and columns change places within a tile of 8 x 8. */
static void cross(unsigned *row, unsigned *column)
{
    unsigned r = *row, c = *column;
    *row = (r & ~7u) | (c & 7);
    *column = (c & ~7u) | (r & 7);
}

static uint64_t element_address(struct ptx_warp *w, const struct ptx_inst *in, unsigned lane,
                                unsigned row, unsigned column)
{
    const struct ptx_matrix_part *part = in->extra;
    const uint32_t *stride = ptx_ref(w, part->stride_ref), *base32 = ptx_ref(w, in->a);
    const uint64_t *base64 = ptx_ref(w, in->a);
    uint64_t step = stride[lane] >> part->stride_shift;
    uint64_t index = part->column_major ? column * step + row : row * step + column;
    uint64_t base = in->flags & PTX_INST_ADDRESS32 ? base32[lane] : base64[lane];
    return base + (uint64_t)in->imm + index * element_bytes(part->type);
}

static void part_addresses(struct ptx_warp *w, const struct ptx_inst *in,
                           const struct ptx_matrix_part *part)
{
    for (unsigned lane = 0; lane < EMU_LANES; lane++) {
        unsigned row, column;
        emu_fragment_place(part->shape, part->fragment, ptx_element_bits(part->type), lane,
                           part->reg, part->half, &row, &column);
        if (part->crossed)
            cross(&row, &column);
        w->base.access.address[lane] = element_address(w, in, lane, row, column);
    }
}

static void move_element(struct ptx_warp *w, const struct ptx_matrix_part *part, unsigned e,
                         unsigned lane, uint8_t *memory)
{
    bool bytes = ptx_element_bits(part->type) == 8; /* all of one register */
    uint32_t ref = part->refs[bytes ? 0 : e], *bits = (uint32_t *)ptx_ref(w, ref) + lane;
    if (part->type == PTX_F64) {
        uint8_t *wide = (uint8_t *)ptx_ref(w, ref) + 8 * (size_t)lane;
        memcpy(part->is_store ? memory : wide, part->is_store ? wide : memory, 8);
        return;
    }
    if (bytes) { /* never stored: sums are words */
        unsigned at = 8 * ((part->half + e) & 3);
        *bits = (*bits & ~(0xffu << at)) | (uint32_t)*memory << at;
        return;
    }
    if (!is_short(part->type)) {
        memcpy(part->is_store ? (void *)memory : bits, part->is_store ? bits : (void *)memory, 4);
        return;
    }
    unsigned half = (part->half + e) & 1;
    uint16_t value;
    if (part->is_store) {
        value = (uint16_t)(*bits >> (16 * half));
        memcpy(memory, &value, sizeof value);
    } else {
        memcpy(&value, memory, sizeof value);
        *bits = half ? (*bits & 0xffffu) | (uint32_t)value << 16 : (*bits & 0xffff0000u) | value;
    }
}

/* What the lane stores of a tile of 8 x 8 that lies the other way in memory: halves of two lanes.
 */
static uint32_t crossed_halves(struct ptx_warp *w, const struct ptx_matrix_part *part,
                               unsigned lane)
{
    const uint32_t *bits = ptx_ref(w, part->refs[0]);
    unsigned from = lane % 4 * 8 + lane / 8, shift = lane / 4 % 2 * 16;
    return (bits[from] >> shift & 0xffff) | (bits[from + 4] >> shift & 0xffff) << 16;
}

void ptx_run_matrix_part(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const struct ptx_matrix_part *part = in->extra;
    unsigned bytes = element_bytes(part->type);
    part_addresses(w, in, part);
    const uint64_t *host = ptx_resolve_addresses(w, in, mask, bytes * part->n);
    if (!host)
        return;
    uint8_t data[EMU_LANES][16];
    uint32_t deferred = 0;
    bool ok = true;
    if (part->is_store && w->base.block->ahead)
        deferred = emu_prepare_store(&w->base, &in->site, mask, bytes * part->n, false, &ok);
    if (!ok)
        return;
    if (part->is_store && w->base.access.mixed_mask)
        host = w->base.access.host;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        bool later = deferred >> lane & 1;
        uint8_t *memory = later ? data[lane] : (uint8_t *)(uintptr_t)host[lane];
        if (part->crossed && part->is_store) {
            uint32_t halves = crossed_halves(w, part, lane);
            memcpy(memory, &halves, sizeof halves);
            continue;
        }
        for (unsigned e = 0; e < part->n; e++)
            move_element(w, part, e, lane, memory + e * bytes);
    }
    if (deferred && !emu_defer(w->base.block, 0, 0, bytes * part->n, deferred,
                               w->base.access.address, data, sizeof data[0]))
        emu_no_memory(&w->base, &in->site, lowest_bit32(mask), "for its stores");
}

/* ---- ldmatrix, stmatrix, movmatrix: 8 x 8 tiles of 16-bit elements ---- */

/* Rows of tile t are at the addresses of lanes 8t to 8t+7; every lane's address is recorded, those
 * beyond the tiles repeat. */
static const uint64_t *tile_rows(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const uint32_t *a32 = ptx_ref(w, in->a);
    const uint64_t *a64 = ptx_ref(w, in->a);
    for (unsigned lane = 0; lane < EMU_LANES; lane++) {
        unsigned from = lane % (8u * in->op);
        w->base.access.address[lane] =
            (in->flags & PTX_INST_ADDRESS32 ? a32[from] : a64[from]) + (uint64_t)in->imm;
    }
    return ptx_resolve_addresses(w, in, mask, 16);
}

/* Rows of 16 bytes become the registers of n tiles, the rows' elements side by side or below one
 * another. */
static void load_tiles(struct ptx_warp *w, uint32_t mask, const uint64_t *host,
                       const uint32_t *refs, unsigned n, bool transposed)
{
    for (unsigned t = 0; host && t < n; t++) {
        uint16_t tile[8][8];
        for (unsigned row = 0; row < 8; row++)
            memcpy(tile[row], (const uint8_t *)(uintptr_t)host[8 * t + row], 16);
        for (unsigned lane = 0; lane < EMU_LANES; lane++) {
            unsigned i = lane / 4, j = lane % 4 * 2;
            uint32_t low = transposed ? tile[j][i] : tile[i][j];
            uint32_t high = transposed ? tile[j + 1][i] : tile[i][j + 1];
            if (mask >> lane & 1)
                ((uint32_t *)ptx_ref(w, refs[t]))[lane] = low | high << 16;
        }
    }
}

/* in->op: tiles; in->is_signed: transposed; in->extra: registers. */
void ptx_run_ldmatrix(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    load_tiles(w, mask, tile_rows(w, in, mask), in->extra, in->op, in->is_signed);
}

/* Row i of a tile as it lies in memory begins with what lane 4i holds first or, crossed, with one
 * of the pair that lane i / 2 holds. */
void ptx_run_matrix_tiles(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const struct ptx_matrix_part *part = in->extra;
    for (unsigned lane = 0; lane < EMU_LANES; lane++) {
        unsigned i = lane % 8, reg = part->reg + lane / 8 % part->n, row, column;
        emu_fragment_place(part->shape, part->fragment, 16, part->crossed ? i / 2 : 4 * i, reg,
                           part->crossed ? i & 1 : 0, &row, &column);
        w->base.access.address[lane] = element_address(w, in, lane, row, column);
    }
    load_tiles(w, mask, ptx_resolve_addresses(w, in, mask, 16), part->tiles, part->n,
               part->crossed);
}

void ptx_run_stmatrix(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const uint64_t *host = tile_rows(w, in, mask);
    const uint32_t *refs = in->extra;
    for (unsigned t = 0; host && t < in->op; t++) {
        uint16_t tile[8][8];
        for (unsigned lane = 0; lane < EMU_LANES; lane++) {
            unsigned i = lane / 4, j = lane % 4 * 2;
            uint32_t bits = ((const uint32_t *)ptx_ref(w, refs[t]))[lane];
            *(in->is_signed ? &tile[j][i] : &tile[i][j]) = (uint16_t)bits;
            *(in->is_signed ? &tile[j + 1][i] : &tile[i][j + 1]) = (uint16_t)(bits >> 16);
        }
        for (unsigned row = 0; row < 8; row++)
            memcpy((uint8_t *)(uintptr_t)host[8 * t + row], tile[row], 16);
    }
}

void ptx_run_movmatrix(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const uint32_t *a = ptx_ref(w, in->a);
    uint32_t *d = ptx_ref(w, in->d), out[EMU_LANES];
    uint16_t tile[8][8];
    for (unsigned lane = 0; lane < EMU_LANES; lane++) {
        tile[lane / 4][lane % 4 * 2] = (uint16_t)a[lane];
        tile[lane / 4][lane % 4 * 2 + 1] = (uint16_t)(a[lane] >> 16);
    }
    for (unsigned lane = 0; lane < EMU_LANES; lane++)
        out[lane] = tile[lane % 4 * 2][lane / 4] | (uint32_t)tile[lane % 4 * 2 + 1][lane / 4] << 16;
    EMU_STORE_LANES(d, mask, out[i]);
}
