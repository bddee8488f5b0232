/* exec_double.c - f64 arithmetic and comparison: a value is two rows, low and high. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "emulator/float.h"
#include "sass/handlers.h"

#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3", "fp-contract=off")
#else
#pragma STDC FP_CONTRACT OFF
#endif

static void gather(const uint32_t *row, double out[EMU_LANES])
{
    uint64_t bits[EMU_LANES];
    EMU_EACH_LANE bits[i] = row[i] | (uint64_t)row[i + SASS_ROW_WORDS] << 32;
    memcpy(out, bits, sizeof bits);
}

static void scatter(struct sass_warp *w, const struct sass_exec *op, uint32_t mask,
                    const double in[EMU_LANES])
{
    uint64_t bits[EMU_LANES];
    uint32_t *low = sass_row(w, op->d), *high = sass_row_at(w, op->d, 1);
    memcpy(bits, in, sizeof bits);
    EMU_STORE_LANES(low, mask, (uint32_t)bits[i]);
    EMU_STORE_LANES(high, mask, (uint32_t)(bits[i] >> 32));
}

HANDLER(sass_run_dadd)
{
    double a[EMU_LANES], b[EMU_LANES], r[EMU_LANES];
    gather(SASS_A(w, op), a);
    gather(SASS_B(w, op), b);
    EMU_EACH_LANE r[i] = emu_canon64(a[i] + b[i]);
    scatter(w, op, mask, r);
}
HANDLER(sass_run_dmul)
{
    double a[EMU_LANES], b[EMU_LANES], r[EMU_LANES];
    gather(SASS_A(w, op), a);
    gather(SASS_B(w, op), b);
    EMU_EACH_LANE r[i] = emu_canon64(a[i] * b[i]);
    scatter(w, op, mask, r);
}
HANDLER(sass_run_dfma)
{
    double a[EMU_LANES], b[EMU_LANES], c[EMU_LANES], r[EMU_LANES];
    gather(SASS_A(w, op), a);
    gather(SASS_B(w, op), b);
    gather(SASS_C(w, op), c);
    EMU_EACH_LANE r[i] = emu_canon64(fma(a[i], b[i], c[i]));
    scatter(w, op, mask, r);
}

static double operate(unsigned operation, double x, double y, double z)
{
    /* volatile: neither folded nor moved across the change of the rounding mode */
    volatile double a = x, b = y, c = z, r;
    switch (operation) {
    case SASS_FLOAT_ADD:
        r = a + b;
        break;
    case SASS_FLOAT_MUL:
        r = a * b;
        break;
    default:
        r = fma(a, b, c);
    }
    return r;
}

/* The same in another rounding mode; mode is the operation. */
HANDLER(sass_run_double_any)
{
    double a[EMU_LANES], b[EMU_LANES], c[EMU_LANES], r[EMU_LANES] = {0};
    gather(SASS_A(w, op), a);
    gather(SASS_B(w, op), b);
    gather(SASS_C(w, op), c);
    int before = fegetround();
    fesetround(sass_host_rounding(op->rounding));
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned i = lowest_bit32(rest);
        r[i] = emu_canon64(operate(op->mode, a[i], b[i], c[i]));
    }
    fesetround(before);
    scatter(w, op, mask, r);
}

/* mode3: not a comparison but a choice, DSETP.MIN (1) and DSETP.MAX (2): pd says whether to take a,
 * pd2 whether neither is a number. */
static void choose(struct sass_warp *w, const struct sass_exec *op, uint32_t mask, const double *a,
                   const double *b)
{
    uint32_t first = 0, nan = 0;
    for (unsigned i = 0; i < EMU_LANES; i++) {
        bool take = op->mode3 == 1 ? emu_min64(a[i], b[i]) == a[i] : emu_max64(a[i], b[i]) == a[i];
        if (a[i] == b[i])
            take = op->mode3 == 1 ? signbit(a[i]) != 0 : signbit(a[i]) == 0;
        if (b[i] != b[i])
            take = true;
        first |= (uint32_t)take << i;
        nan |= (uint32_t)(a[i] != a[i] && b[i] != b[i]) << i;
    }
    sass_set_pred(w, op->pd, mask, first);
    sass_set_pred(w, op->pd2, mask, nan);
}

HANDLER(sass_run_dsetp)
{
    double a[EMU_LANES], b[EMU_LANES];
    uint32_t l = 0, e = 0, g = 0;
    gather(SASS_A(w, op), a);
    gather(SASS_B(w, op), b);
    if (op->mode3) {
        choose(w, op, mask, a, b);
        return;
    }
    for (unsigned i = 0; i < EMU_LANES; i++) {
        l |= (uint32_t)(a[i] < b[i]) << i;
        e |= (uint32_t)(a[i] == b[i]) << i;
        g |= (uint32_t)(a[i] > b[i]) << i;
    }
    uint32_t r = op->mode & SASS_CMP_LESS ? l : 0;
    r |= op->mode & SASS_CMP_EQUAL ? e : 0;
    r |= op->mode & SASS_CMP_GREATER ? g : 0;
    r |= op->mode & SASS_CMP_UNORDERED ? ~(l | e | g) : 0;
    sass_finish_compare(w, op, mask, r);
}
