/* sass_exec_half.c - pairs of f16 and bf16. Products of two short numbers are exact in double, sums
 * are made odd where they are not (see emulator/half.h): each operation is rounded exactly once. */
#include <math.h>
#include <string.h>

#include "emulator/float.h"
#include "emulator/half.h"
#include "sass/handlers.h"

static double value_of(uint16_t bits, bool bfloat)
{
    return bfloat ? emu_bfloat_value(bits) : emu_half_value(bits);
}

static double source_value(const struct sass_half *h, const struct sass_half_source *s, bool ftz,
                           uint32_t bits, bool upper)
{
    double x;
    if (s->is_f32) {
        x = emu_f32_bits(bits);
    } else {
        unsigned half = upper ? s->high : s->low;
        x = value_of((uint16_t)(bits >> (16 * half)), h->bfloat);
        if (ftz && !h->bfloat && fabs(x) < 0x1p-14)
            x = copysign(0, x);
    }
    x = s->absolute ? fabs(x) : x;
    return s->negated ? -x : x;
}

static double operate(const struct sass_half *h, double x, double y, double z, bool least)
{
    switch (h->operation) {
    case SASS_HALF_ADD:
        return emu_add_odd(x, y);
    case SASS_HALF_MUL:
        return x * y;
    case SASS_HALF_FMA:
        return emu_add_odd(x * y, z);
    case SASS_HALF_MIN_MAX_3:
        return least ? emu_min64(emu_min64(x, y), z) : emu_max64(emu_max64(x, y), z);
    default:
        if (h->propagate_nan && (x != x || y != y))
            return NAN;
        return least ? emu_min64(x, y) : emu_max64(x, y);
    }
}

static double finish(const struct sass_exec *op, const struct sass_half *h, double r)
{
    if (op->sat)
        r = r > 0 ? (r < 1 ? r : 1) : 0;
    if (h->relu && r <= 0)
        r = 0;
    return r;
}

static uint16_t rounded(const struct sass_exec *op, const struct sass_half *h, double r)
{
    r = finish(op, h, r);
    uint16_t out =
        h->bfloat ? emu_bfloat_from(r, EMU_ROUND_NEAREST) : emu_half_from(r, EMU_ROUND_NEAREST);
    if (op->ftz && !h->bfloat && !(out & 0x7c00))
        out &= 0x8000;
    return out;
}

HANDLER(sass_run_half)
{
    const struct sass_half *h = op->extra;
    uint32_t *d = sass_row(w, op->d), least = sass_pred(w, op->ps);
    const uint32_t *a = sass_row(w, op->a), *b = sass_row(w, op->b), *c = sass_row(w, op->c);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned i = lowest_bit32(rest);
        double r[2];
        for (unsigned k = 0; k < 2; k++)
            r[k] = operate(h, source_value(h, &h->source[0], op->ftz, a[i], k),
                           source_value(h, &h->source[1], op->ftz, b[i], k),
                           source_value(h, &h->source[2], op->ftz, c[i], k), least >> i & 1);
        if (h->f32_result) {
            float f = emu_canon32(emu_float_from(finish(op, h, r[0]), EMU_ROUND_NEAREST));
            memcpy(&d[i], &f, sizeof f);
        } else {
            d[i] = (uint32_t)rounded(op, h, r[1]) << 16 | rounded(op, h, r[0]);
        }
    }
}

/* A product of two zeros and a constant: how compilers load a constant in another pipe. */
HANDLER(sass_run_half_const)
{
    uint32_t *d = sass_row(w, op->d);
    const uint32_t *c = sass_row(w, op->c);
    EMU_STORE_LANES(d, mask, c[i]);
}

static bool test(double x, double y, unsigned wanted)
{
    if (x != x || y != y)
        return wanted & SASS_CMP_UNORDERED;
    return (x < y && wanted & SASS_CMP_LESS) || (x == y && wanted & SASS_CMP_EQUAL) ||
           (x > y && wanted & SASS_CMP_GREATER);
}

static void compare(struct sass_warp *w, const struct sass_exec *op, uint32_t lanes[2])
{
    const struct sass_half *h = op->extra;
    const uint32_t *a = sass_row(w, op->a), *b = sass_row(w, op->b);
    lanes[0] = lanes[1] = 0;
    for (unsigned i = 0; i < EMU_LANES; i++)
        for (unsigned k = 0; k < 2; k++) {
            bool yes = test(source_value(h, &h->source[0], op->ftz, a[i], k),
                            source_value(h, &h->source[1], op->ftz, b[i], k), op->mode);
            lanes[k] |= (uint32_t)yes << i;
        }
}

static uint32_t combine(unsigned how, uint32_t x, uint32_t y)
{
    return how == SASS_BOOL_AND ? x & y : how == SASS_BOOL_OR ? x | y : x ^ y;
}

/* One predicate for each half; mode3: pd for both together, pd2 its opposite. */
HANDLER(sass_run_hsetp2)
{
    uint32_t lanes[2], other = sass_pred(w, op->ps);
    compare(w, op, lanes);
    if (op->mode3) {
        uint32_t both = lanes[0] & lanes[1];
        sass_set_pred(w, op->pd, mask, combine(op->mode2, both, other));
        sass_set_pred(w, op->pd2, mask, combine(op->mode2, ~both, other));
        return;
    }
    sass_set_pred(w, op->pd, mask, combine(op->mode2, lanes[0], other));
    sass_set_pred(w, op->pd2, mask, combine(op->mode2, lanes[1], other));
}

/* All ones or zeros in each half; mode3: 1.0 or 0. */
HANDLER(sass_run_hset2)
{
    const struct sass_half *h = op->extra;
    uint32_t *d = sass_row(w, op->d), lanes[2], other = sass_pred(w, op->ps);
    uint32_t yes = !op->mode3 ? 0xffff : h->bfloat ? 0x3f80 : 0x3c00;
    compare(w, op, lanes);
    uint32_t low = combine(op->mode2, lanes[0], other), high = combine(op->mode2, lanes[1], other);
    EMU_STORE_LANES(d, mask,
                    (low & emu_lane_bit[i] ? yes : 0) | (high & emu_lane_bit[i] ? yes << 16 : 0));
}
