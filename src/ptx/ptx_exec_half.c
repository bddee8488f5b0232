/* ptx_exec_half.c - f16 and bf16 arithmetic, single and in pairs.
 *
 * Products of two short numbers are exact in double; sums are made odd where they are not (see
 * half.h), so each operation is rounded exactly once, fma included. */
#include <math.h>

#include "emulator/half.h"
#include "ptx/handlers.h"

struct half_format {
    double (*value)(uint16_t);
    uint16_t (*round)(double, enum emu_rounding);
};
static const struct half_format f16 = {emu_half_value, emu_half_from};
static const struct half_format bf16 = {emu_bfloat_value, emu_bfloat_from};

static double clamp01(double x)
{
    return x > 0 ? (x < 1 ? x : 1) : 0;
}

static double smaller(double x, double y)
{
    return x < y || (x == y && signbit(x)) ? x : y;
}

static double min_or_max(const struct ptx_inst *in, unsigned mnemonic, double x, double y)
{
    if (x != x || y != y) {
        if (in->op == PTX_M_PROPAGATE_NAN)
            return NAN;
        return x != x ? y : x;
    }
    double least = smaller(x, y);
    bool first = least == x && signbit(least) == signbit(x);
    return mnemonic == PTX_OP_min ? least : first ? y : x;
}

/* One value; in->imm is the mnemonic, in->op a modifier (sat, relu, NaN). */
static uint16_t operate(const struct ptx_inst *in, const struct half_format *f, uint16_t a,
                        uint16_t b, uint16_t c)
{
    double x = f->value(a), y = f->value(b), z = f->value(c), r;
    unsigned mnemonic = (unsigned)in->imm;
    bool tiny_x = f == &f16 && in->flags & PTX_INST_FTZ && fabs(x) < 0x1p-14;
    bool tiny_y = f == &f16 && in->flags & PTX_INST_FTZ && fabs(y) < 0x1p-14;
    bool tiny_z = f == &f16 && in->flags & PTX_INST_FTZ && fabs(z) < 0x1p-14;
    x = tiny_x ? copysign(0, x) : x;
    y = tiny_y ? copysign(0, y) : y;
    z = tiny_z ? copysign(0, z) : z;
    switch (mnemonic) {
    case PTX_OP_add:
        r = emu_add_odd(x, y);
        break;
    case PTX_OP_sub:
        r = emu_add_odd(x, -y);
        break;
    case PTX_OP_mul:
        r = x * y;
        break;
    case PTX_OP_fma:
        r = emu_add_odd(x * y, z);
        break;
    case PTX_OP_min:
    case PTX_OP_max:
        r = min_or_max(in, mnemonic, x, y);
        break;
    case PTX_OP_neg:
        return a ^ 0x8000;
    case PTX_OP_abs:
        return a & 0x7fff;
    case PTX_OP_ex2:
        r = exp2(x);
        break;
    default:
        r = tanh(x);
        break;
    }
    if (in->flags & PTX_INST_SAT)
        r = clamp01(r);
    if (in->op == PTX_M_RELU && !(r != r) && r <= 0)
        r = 0;
    uint16_t out = f->round(r, EMU_ROUND_NEAREST);
    if (f == &f16 && in->flags & PTX_INST_FTZ && !(out & 0x7c00))
        out &= 0x8000;
    return out;
}

static void run_half(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                     const struct half_format *f, bool pair)
{
    uint32_t *d = ptx_ref(w, in->d);
    const uint32_t *a = ptx_ref(w, in->a);
    const uint32_t *b = in->b != PTX_NO_REF ? ptx_ref(w, in->b) : a;
    const uint32_t *c = in->c != PTX_NO_REF ? ptx_ref(w, in->c) : a;
    for (unsigned i = 0; i < EMU_LANES; i++) {
        if (!(mask >> i & 1))
            continue;
        uint32_t r = operate(in, f, (uint16_t)a[i], (uint16_t)b[i], (uint16_t)c[i]);
        if (pair)
            r |= (uint32_t)operate(in, f, (uint16_t)(a[i] >> 16), (uint16_t)(b[i] >> 16),
                                   (uint16_t)(c[i] >> 16))
                 << 16;
        d[i] = r;
    }
}

static void half_f16(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    run_half(w, in, mask, &f16, false);
}
static void half_f16x2(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    run_half(w, in, mask, &f16, true);
}
static void half_bf16(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    run_half(w, in, mask, &bf16, false);
}
static void half_bf16x2(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    run_half(w, in, mask, &bf16, true);
}

ptx_handler *ptx_half_handler(unsigned mnemonic, unsigned type)
{
    switch (mnemonic) {
    case PTX_OP_add:
    case PTX_OP_sub:
    case PTX_OP_mul:
    case PTX_OP_fma:
    case PTX_OP_min:
    case PTX_OP_max:
    case PTX_OP_neg:
    case PTX_OP_abs:
    case PTX_OP_ex2:
    case PTX_OP_tanh:
        break;
    default:
        return NULL;
    }
    switch (type) {
    case PTX_F16:
        return half_f16;
    case PTX_F16X2:
        return half_f16x2;
    case PTX_BF16:
        return half_bf16;
    case PTX_BF16X2:
        return half_bf16x2;
    default:
        return NULL;
    }
}
