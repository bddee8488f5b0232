/* sass_exec_mma.c - products of small matrices held by a warp.
 *
 * Sums of floating-point products are formed in double and rounded once; hardware adds in an order
 * and precision of its own, so results agree within a few ulp of the largest term. Integers are
 * exact. */
#include <string.h>

#include "emulator/convert.h"
#include "emulator/float.h"
#include "emulator/matrix.h"
#include "sass/lower.h"

/* Types of the elements. */
/* An element of B1 is 32 bits side by side, and shapes count these. */
enum element { F16, BF16, TF32, F32, F64, U8, S8, U4, S4, S32, E4M3, E5M2, B1 };

struct mma {
    struct emu_shape shape;
    uint8_t a, b, c; /* enum element; c of the sum */
    bool saturate;
    bool exclusive;    /* bits that differ are counted, not those that both have */
    bool sparse;       /* of A's columns a half, see emu_sparse_unpack() */
    uint8_t selector;  /* of the lanes whose metadata count */
    uint32_t metadata; /* row */
};

static unsigned element_bits(unsigned type)
{
    switch (type) {
    case F16:
    case BF16:
        return 16;
    case U8:
    case S8:
    case E4M3:
    case E5M2:
        return 8;
    case U4:
    case S4:
        return 4;
    case F64:
        return 64;
    default:
        return 32;
    }
}

static double small_integer(uint32_t bits, unsigned part, unsigned width, bool is_signed)
{
    uint32_t v = bits >> (part * width) & ((1u << width) - 1);
    return is_signed && v >> (width - 1) ? (double)v - (double)(1u << width) : (double)v;
}

static double element_get(const struct sass_warp *w, uint32_t ref, unsigned reg, unsigned lane,
                          unsigned part, unsigned type)
{
    if (type == F64) {
        uint64_t bits = sass_row_at(w, ref, 2 * reg)[lane] |
                        (uint64_t)sass_row_at(w, ref, 2 * reg + 1)[lane] << 32;
        return emu_f64_bits(bits);
    }
    uint32_t bits = sass_row_at(w, ref, reg)[lane];
    switch (type) {
    case F16:
        return emu_half_value((uint16_t)(bits >> (16 * part)));
    case BF16:
        return emu_bfloat_value((uint16_t)(bits >> (16 * part)));
    case TF32: /* the unit reads 10 mantissa bits */
        return emu_f32_bits(bits & 0xffffe000u);
    case F32:
        return emu_f32_bits(bits);
    case S32:
        return (double)(int32_t)bits;
    case B1:
        return (double)bits;
    case E4M3:
        return emu_e4m3_value((uint8_t)(bits >> (8 * part)));
    case E5M2:
        return emu_e5m2_value((uint8_t)(bits >> (8 * part)));
    default:
        return small_integer(bits, part, element_bits(type), type == S8 || type == S4);
    }
}

static void element_put(struct sass_warp *w, uint32_t ref, unsigned reg, unsigned lane,
                        unsigned part, const struct mma *m, double value)
{
    if (m->c == F64) {
        uint64_t bits;
        value = emu_canon64(value);
        memcpy(&bits, &value, sizeof bits);
        sass_row_at(w, ref, 2 * reg)[lane] = (uint32_t)bits;
        sass_row_at(w, ref, 2 * reg + 1)[lane] = (uint32_t)(bits >> 32);
        return;
    }
    uint32_t *out = &sass_row_at(w, ref, reg)[lane];
    if (m->c == S32) {
        *out = emu_whole_sum(value, m->saturate);
    } else if (m->c == F16) {
        uint32_t h = emu_half_from(value, EMU_ROUND_NEAREST);
        *out = part ? (*out & 0xffffu) | h << 16 : (*out & 0xffff0000u) | h;
    } else {
        float f = emu_canon32(emu_float_from(value, EMU_ROUND_NEAREST));
        memcpy(out, &f, sizeof f);
    }
}

struct operands {
    const struct sass_warp *w;
    const struct sass_exec *op;
};

static double operand(const void *operands, unsigned fragment, unsigned reg, unsigned lane,
                      unsigned part)
{
    const struct operands *o = operands;
    const struct mma *m = o->op->extra;
    const uint32_t refs[] = {o->op->a, o->op->b, o->op->c};
    const uint8_t types[] = {m->a, m->b, m->c};
    return element_get(o->w, refs[fragment], reg, lane, part, types[fragment]);
}

static struct emu_product product_of(const struct operands *operands)
{
    const struct mma *m = operands->op->extra;
    return (struct emu_product){.shape = m->shape,
                                .bits = {(uint8_t)element_bits(m->a), (uint8_t)element_bits(m->b),
                                         (uint8_t)element_bits(m->c)},
                                .of_bits = m->a == B1,
                                .exclusive = m->exclusive,
                                .sparse = m->sparse,
                                .metadata = m->sparse ? sass_row(operands->w, m->metadata) : NULL,
                                .selector = m->selector,
                                .operands = operands,
                                .element = operand};
}

HANDLER(sass_run_mma)
{
    const struct mma *m = op->extra;
    double c[EMU_MAX_SIDE][EMU_MAX_SIDE];
    struct operands operands = {w, op};
    struct emu_product product = product_of(&operands);
    emu_product_form(&product, c);
    unsigned bits = element_bits(m->c), n = emu_fragment_registers(m->shape, EMU_FRAGMENT_C, bits);
    unsigned parts = emu_element_parts(bits), row, column;
    for (unsigned reg = 0; reg < n; reg++)
        for (unsigned part = 0; part < parts; part++)
            for (uint32_t rest = mask; rest; rest &= rest - 1) {
                unsigned lane = lowest_bit32(rest);
                emu_fragment_place(m->shape, EMU_FRAGMENT_C, bits, lane, reg, part, &row, &column);
                element_put(w, op->d, reg, lane, part, m, c[row][column]);
            }
}

/* ---- lowering ---- */

static const struct {
    uint16_t word;
    struct emu_shape shape;
} shapes[] = {
    {SASS_W_1688, {16, 8, 8}},     {SASS_W_16816, {16, 8, 16}},   {SASS_W_1684, {16, 8, 4}},
    {SASS_W_8816, {8, 8, 16}},     {SASS_W_8832, {8, 8, 32}},     {SASS_W_16832, {16, 8, 32}},
    {SASS_W_16864, {16, 8, 64}},   {SASS_W_884, {8, 8, 4}},       {SASS_W_16x8x4, {16, 8, 4}},
    {SASS_W_16x8x8, {16, 8, 8}},   {SASS_W_16x8x16, {16, 8, 16}}, {SASS_W_88128, {8, 8, 128}},
    {SASS_W_168128, {16, 8, 128}}, {SASS_W_168256, {16, 8, 256}},
};

static uint8_t integer_type(uint16_t word)
{
    return word == SASS_W_S8 ? S8 : word == SASS_W_U4 ? U4 : word == SASS_W_S4 ? S4 : U8;
}

static bool is_float_byte(uint16_t word)
{
    return word == SASS_W_E4M3 || word == SASS_W_E5M2;
}

static bool set_types(struct sass_lowering *l, struct mma *m)
{
    uint16_t type = sass_mod_get(l, SASS_M_SRC_TYPE), second = sass_mod_get(l, SASS_M_SRC_TYPE2);
    switch (l->in->op) {
    case SASS_HMMA:
        m->a = m->b = type == SASS_W_BF16 ? BF16 : type == SASS_W_TF32 ? TF32 : F16;
        m->c = sass_mod_get(l, SASS_M_TYPE) == SASS_W_F32 ? F32 : F16;
        return sass_mod_get(l, SASS_M_SHAPE) != SASS_W_884 && type != SASS_W_E6M9;
    case SASS_IMMA:
        m->a = integer_type(type);
        m->b = integer_type(second);
        m->c = S32;
        m->saturate = sass_mod_get(l, SASS_M_SAT) == SASS_W_SAT;
        return true;
    case SASS_BMMA:
        m->a = m->b = B1;
        m->c = S32;
        m->shape.k /= 32;
        m->exclusive = sass_mod_get(l, SASS_M_FUNCTION) == SASS_W_XOR;
        return sass_mod_get(l, SASS_M_MODE) == SASS_W_POPC;
    case SASS_DMMA:
        m->a = m->b = m->c = F64;
        return true;
    case SASS_QMMA:
        m->a = type == SASS_W_E5M2 ? E5M2 : E4M3;
        m->b = second == SASS_W_E5M2 ? E5M2 : E4M3;
        m->c = sass_mod_get(l, SASS_M_TYPE) == SASS_W_F32 ? F32 : F16;
        return is_float_byte(type) && is_float_byte(second);
    default:
        return false;
    }
}

/* Behind C: which of A's elements are there, and whose lanes tell. */
static bool set_sparse(struct sass_lowering *l, struct mma *m)
{
    unsigned bits = element_bits(m->a), deepest = 512 / bits;
    unsigned lanes = bits == 4 ? emu_sparse_lanes(emu_shape_of_pairs(m->shape), 8)
                               : emu_sparse_lanes(m->shape, bits);
    m->sparse = true;
    m->metadata = sass_lower_row(l, sass_operand_get(l, 4), 1);
    m->selector = (uint8_t)sass_operand_get(l, 5)->value;
    return bits >= 4 && bits <= 32 && m->shape.m == 16 && m->shape.k >= deepest / 2 &&
           m->shape.k <= deepest && (m->selector + 1) * lanes <= 4;
}

/* RD, A, B, C */
bool sass_lower_mma(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    struct mma *m = sass_lower_allocate(l, sizeof *m);
    uint16_t shape = sass_mod_get(l, SASS_M_SHAPE);
    if (!m)
        return false;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i].word == shape)
            m->shape = shapes[i].shape;
    bool sparse = sass_mod_get(l, SASS_M_SPARSE) == SASS_W_SP;
    if (!m->shape.m || !set_types(l, m) || (sparse && !set_sparse(l, m)))
        return sass_lower_refuse(l, "this shape or type of matrices is not known");
    for (unsigned k = 1; k < 4; k++)
        if (sass_operand_get(l, k)->flags & (SASS_NEG | SASS_ABS))
            return sass_lower_refuse(l, "matrices with a sign are not known");
    op->extra = m;
    op->d = sass_lower_dest(l, sass_operand_get(l, 0));
    op->a = sass_lower_row(l, sass_operand_get(l, 1), 1);
    op->b = sass_lower_row(l, sass_operand_get(l, 2), 1);
    op->c = sass_lower_row(l, sass_operand_get(l, 3), 1);
    op->flow = SASS_CHECKED;
    op->run = sass_run_mma;
    return true;
}
