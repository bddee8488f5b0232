/* sass_exec_cvt.c - conversions; the common ones have loops of their own. */
#include <math.h>
#include <string.h>

#include "emulator/convert.h"
#include "emulator/float.h"
#include "sass/handlers.h"

static enum emu_rounding rounding_of(const struct sass_exec *op)
{
    static const uint8_t modes[] = {EMU_ROUND_NEAREST, EMU_ROUND_DOWN, EMU_ROUND_UP,
                                    EMU_ROUND_ZERO};
    return (enum emu_rounding)modes[op->rounding & 3];
}

static uint64_t source_bits(const uint32_t *b, unsigned i, unsigned number)
{
    return b[i] | (emu_number_is_wide(number) ? (uint64_t)b[i + SASS_ROW_WORDS] << 32 : 0);
}

static void convert_lanes(struct sass_warp *w, const struct sass_exec *op, uint32_t mask,
                          const struct emu_conversion *c)
{
    uint32_t *low = sass_row(w, op->d), *high = sass_row_at(w, op->d, 1);
    const uint32_t *b = SASS_B(w, op);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned i = lowest_bit32(rest);
        /* op->imm: which byte or half of the register is meant */
        uint64_t r = emu_convert(c, source_bits(b, i, c->from) >> (8 * op->imm));
        low[i] = (uint32_t)r;
        if (emu_number_is_wide(c->to))
            high[i] = (uint32_t)(r >> 32);
    }
}

/* mode: to, mode2: from; mode3: NaN becomes 0 */
HANDLER(sass_run_f2i)
{
    struct emu_conversion c = {.to = op->mode,
                               .from = op->mode2,
                               .rounding = rounding_of(op),
                               .ftz = op->ftz,
                               .nan_is_lowest = !op->mode3};
    convert_lanes(w, op, mask, &c);
}

HANDLER(sass_run_i2f)
{
    struct emu_conversion c = {.to = op->mode, .from = op->mode2, .rounding = rounding_of(op)};
    if (op->mode == EMU_NUM_F32 && op->mode2 == EMU_NUM_S32 && !op->rounding && !op->imm) {
        float *d = (float *)(void *)sass_row(w, op->d);
        const uint32_t *b = SASS_B(w, op);
        EMU_STORE_LANES(d, mask, (float)(int32_t)b[i]);
        return;
    }
    convert_lanes(w, op, mask, &c);
}

HANDLER(sass_run_f2f)
{
    struct emu_conversion c = {.to = op->mode,
                               .from = op->mode2,
                               .rounding = rounding_of(op),
                               .ftz = op->ftz,
                               .sat = op->sat};
    convert_lanes(w, op, mask, &c);
}

HANDLER(sass_run_frnd)
{
    struct emu_conversion c = {.to = op->mode,
                               .from = op->mode2,
                               .rounding = rounding_of(op),
                               .to_integer = true,
                               .ftz = op->ftz};
    convert_lanes(w, op, mask, &c);
}

/* Two f32 to one pair: a goes to the upper half. mode: to. */
HANDLER(sass_run_f2fp)
{
    struct emu_conversion c = {.to = op->mode,
                               .from = EMU_NUM_F32,
                               .rounding = rounding_of(op),
                               .relu = op->mode3,
                               .ftz = op->ftz};
    uint32_t *d = sass_row(w, op->d);
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned i = lowest_bit32(rest);
        d[i] = (uint32_t)emu_convert(&c, a[i]) << 16 | (uint16_t)emu_convert(&c, b[i]);
    }
}

/* mode: e5m2, else e4m3; imm: the bit of b that the lower byte begins at; mode3: relu */
HANDLER(sass_run_unpack_bytes)
{
    uint32_t *d = sass_row(w, op->d);
    const uint32_t *b = SASS_B(w, op);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned i = lowest_bit32(rest);
        d[i] = emu_eight_bits_unpack((uint16_t)(b[i] >> op->imm), op->mode, op->mode3);
    }
}

static double single_value(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Two values become bytes of the lower half, a half of c (from its bit imm) the upper one: ptxas
 * makes four bytes so. mode: e5m2, else e4m3; mode2: the values are the halves of b, else a and b;
 * mode3: relu */
HANDLER(sass_run_pack_bytes)
{
    uint32_t *d = sass_row(w, op->d);
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op), *c = SASS_C(w, op);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned i = lowest_bit32(rest);
        double upper = op->mode2 ? emu_half_value((uint16_t)(b[i] >> 16)) : single_value(a[i]);
        double lower = op->mode2 ? emu_half_value((uint16_t)b[i]) : single_value(b[i]);
        d[i] = (c[i] >> op->imm) << 16 | emu_eight_bits_pack(upper, lower, op->mode, op->mode3);
    }
}

HANDLER(sass_run_i2i)
{
    struct emu_conversion c = {.to = op->mode, .from = op->mode2, .sat = op->sat};
    convert_lanes(w, op, mask, &c);
}
