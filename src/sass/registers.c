/* registers.c - how many registers an operand means: pairs and quads are named by their first. */
#include "sass/registers.h"

static uint32_t words_of_size(uint16_t word)
{
    switch (word) {
    case SASS_W_64:
    case SASS_W_U64:
    case SASS_W_S64:
    case SASS_W_F64:
    case SASS_W_F16x4:
    case SASS_W_BF16x4:
    case SASS_W_F32x2:
        return 2;
    case SASS_W_128:
    case SASS_W_F16x8:
    case SASS_W_BF16x8:
    case SASS_W_F32x4:
        return 4;
    case SASS_W_256:
        return 8;
    default:
        return 1;
    }
}

/* Rows of four-byte words of A, B and of the sum, for the shapes of the matrix opcodes. */
struct shape {
    uint16_t op, shape;
    uint8_t a, b, sum;
};
static const struct shape shapes[] = {
    {SASS_HMMA, SASS_W_1688, 2, 1, 4},     {SASS_HMMA, SASS_W_16816, 4, 2, 4},
    {SASS_HMMA, SASS_W_1684, 2, 1, 4},     {SASS_HMMA, SASS_W_16832, 4, 4, 4},
    {SASS_HMMA, SASS_W_884, 2, 2, 8},      {SASS_IMMA, SASS_W_8816, 1, 1, 2},
    {SASS_IMMA, SASS_W_8832, 1, 1, 2},     {SASS_IMMA, SASS_W_16816, 2, 1, 4},
    {SASS_IMMA, SASS_W_16832, 4, 2, 4},    {SASS_IMMA, SASS_W_16864, 4, 2, 4},
    {SASS_BMMA, SASS_W_88128, 1, 1, 2},    {SASS_BMMA, SASS_W_168128, 2, 1, 4},
    {SASS_BMMA, SASS_W_168256, 4, 2, 4},   {SASS_DMMA, SASS_W_884, 2, 2, 4},
    {SASS_DMMA, SASS_W_16x8x4, 4, 2, 8},   {SASS_DMMA, SASS_W_16x8x8, 8, 4, 8},
    {SASS_DMMA, SASS_W_16x8x16, 16, 8, 8}, {SASS_QMMA, SASS_W_16832, 4, 2, 4},
    {SASS_QMMA, SASS_W_16816, 2, 1, 4},    {SASS_QMMA, SASS_W_16864, 4, 4, 4},
    {SASS_IMMA, SASS_W_168128, 4, 4, 4}};

/* Of A, of which a half is there, as of B: two, and four in the deeper of each type's two shapes.
 */
static uint32_t sparse_registers(const struct sass_inst *i)
{
    uint16_t shape = i->mod[SASS_M_SHAPE];
    bool nibbles = i->mod[SASS_M_SRC_TYPE] == SASS_W_S4 || i->mod[SASS_M_SRC_TYPE] == SASS_W_U4;
    bool is_deep = nibbles                                    ? shape == SASS_W_168128
                   : i->op == SASS_IMMA || i->op == SASS_QMMA ? shape == SASS_W_16864
                   : i->mod[SASS_M_SRC_TYPE] == SASS_W_TF32   ? shape == SASS_W_16816
                                                              : shape == SASS_W_16832;
    return is_deep ? 4 : 2;
}

static uint32_t matrix_registers(const struct sass_inst *i, uint32_t n)
{
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        const struct shape *s = &shapes[k];
        if (s->op != i->op || s->shape != i->mod[SASS_M_SHAPE])
            continue;
        /* sums of halves take half the registers; TF32 and narrow integers change A and B */
        bool half_sum =
            (i->op == SASS_HMMA || i->op == SASS_QMMA) && i->mod[SASS_M_TYPE] == SASS_W_F16;
        bool wide = i->mod[SASS_M_SRC_TYPE] == SASS_W_TF32 && s->shape == SASS_W_1688;
        bool narrow =
            (i->mod[SASS_M_SRC_TYPE] == SASS_W_S4 || i->mod[SASS_M_SRC_TYPE] == SASS_W_U4) &&
            s->shape == SASS_W_16832;
        uint32_t of[] = {s->sum, s->a, s->b, s->sum};
        of[0] = of[3] = half_sum ? s->sum / 2u : s->sum;
        if (i->mod[SASS_M_SPARSE] == SASS_W_SP) {
            of[1] = of[2] = sparse_registers(i);
        } else if (wide) {
            of[1] *= 2;
            of[2] *= 2;
        } else if (narrow) {
            of[1] /= 2;
            of[2] /= 2;
        }
        return n < 4 ? of[n] : 1;
    }
    return 1;
}

static uint32_t bits_of_mask(const struct sass_inst *i)
{
    for (uint32_t n = i->n_operands; n-- > 0;)
        if (i->operand[n].kind == SASS_IMM)
            return (uint32_t)__builtin_popcountll((uint64_t)i->operand[n].value & 15);
    return 4;
}

/* Two results registers: the first takes what the second does not. */
static uint32_t texture_results(const struct sass_inst *i, const struct sass_operand *o)
{
    uint32_t all = bits_of_mask(i);
    bool second = o != &i->operand[0] && o != &i->operand[1] ? false : o->reg == i->operand[2].reg;
    return second || all < 2 ? all : (all + 1) / 2;
}

static bool is_double(const struct sass_inst *i)
{
    return i->op == SASS_DADD || i->op == SASS_DMUL || i->op == SASS_DFMA || i->op == SASS_DSETP;
}

static uint32_t conversion_registers(const struct sass_inst *i, const struct sass_operand *o)
{
    return words_of_size(i->mod[o->flags & SASS_DEST ? SASS_M_TYPE : SASS_M_SRC_TYPE]);
}

/* IMAD.WIDE makes a pair and adds one; .HI adds one. c is the last register but carries. */
static uint32_t product_registers(const struct sass_inst *i, const struct sass_operand *o)
{
    bool wide = i->mod[SASS_M_MODE] == SASS_W_WIDE, high = i->mod[SASS_M_MODE] == SASS_W_HI;
    if (o->flags & SASS_DEST)
        return wide ? 2 : 1;
    return (wide || high) && o == &i->operand[4] ? 2 : 1;
}

static uint32_t address_registers(const struct sass_inst *i, const struct sass_operand *o)
{
    if (o->suffix == SASS_W_64)
        return 2;
    return o->suffix != SASS_W_U32 && i->mod[SASS_M_EXTENDED] == SASS_W_E &&
                   !(i->op == SASS_LDGSTS && o == &i->operand[0])
               ? 2
               : 1;
}

static uint32_t register_count(const struct sass_inst *i, uint32_t n)
{
    const struct sass_operand *o = &i->operand[n];
    if (is_double(i))
        return 2;
    switch (i->op) {
    case SASS_HMMA:
    case SASS_IMMA:
    case SASS_BMMA:
    case SASS_DMMA:
    case SASS_QMMA:
        return matrix_registers(i, n);
    case SASS_IMAD:
    case SASS_UIMAD:
        return product_registers(i, o);
    case SASS_F2F:
    case SASS_F2I:
    case SASS_I2F:
    case SASS_FRND:
        return conversion_registers(i, o);
    case SASS_LDSM:
    case SASS_STSM:
        return i->mod[SASS_M_COUNT_OF] == SASS_W_4   ? 4
               : i->mod[SASS_M_COUNT_OF] == SASS_W_2 ? 2
                                                     : 1;
    case SASS_ATOM:
    case SASS_ATOMG:
    case SASS_ATOMS:
    case SASS_RED:
    case SASS_REDG:
        return words_of_size(i->mod[SASS_M_TYPE]);
    case SASS_TEX:
    case SASS_TLD:
    case SASS_TLD4:
    case SASS_TXD:
    case SASS_TXQ:
        return o->flags & SASS_DEST ? texture_results(i, o) : 1;
    case SASS_ISETP:
    case SASS_UISETP:
        return words_of_size(i->mod[SASS_M_SIGN]);
    case SASS_MATCH:
        return o->flags & SASS_DEST ? 1 : words_of_size(i->mod[SASS_M_SIZE]);
    case SASS_CALL:
    case SASS_RET:
    case SASS_BRX:
    case SASS_BRXU:
    case SASS_JMX:
    case SASS_JMXU:
    case SASS_LEPC:
        return 2;
    default:
        return words_of_size(i->mod[SASS_M_SIZE]);
    }
}

uint32_t sass_operand_registers(const struct sass_inst *i, uint32_t n)
{
    const struct sass_operand *o = &i->operand[n];
    if (o->reg == SASS_RZ || n >= i->n_operands)
        return 0;
    if (o->kind == SASS_MEMORY)
        return address_registers(i, o);
    if (o->kind == SASS_CONST)
        return 1;
    return o->kind == SASS_REG || o->kind == SASS_UREG ? register_count(i, n) : 0;
}
