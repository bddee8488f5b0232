/* exec_round.c - arithmetic in the rounding modes rz, rm and rp.
 *
 * The host's rounding mode is switched around each operation. Operands and results are volatile, so
 * that the compiler can neither fold an operation nor move it across the switch. Rare in practice
 * (fma.rm inside expf), hence lane by lane. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "ptx/handlers.h"

static int host_mode(unsigned rounding)
{
    switch (rounding) {
    case PTX_M_RZ:
    case PTX_M_RZI:
        return FE_TOWARDZERO;
    case PTX_M_RM:
    case PTX_M_RMI:
        return FE_DOWNWARD;
    case PTX_M_RP:
    case PTX_M_RPI:
        return FE_UPWARD;
    default:
        return FE_TONEAREST;
    }
}

static float operate32(unsigned mnemonic, float x, float y, float z)
{
    volatile float a = x, b = y, c = z, r;
    switch (mnemonic) {
    case PTX_OP_add:
        r = a + b;
        break;
    case PTX_OP_sub:
        r = a - b;
        break;
    case PTX_OP_mul:
        r = a * b;
        break;
    case PTX_OP_div:
        r = a / b;
        break;
    case PTX_OP_rcp:
        r = 1.0f / a;
        break;
    case PTX_OP_sqrt:
        r = sqrtf(a);
        break;
    default:
        r = fmaf(a, b, c);
        break;
    }
    return r;
}

static double operate64(unsigned mnemonic, double x, double y, double z)
{
    volatile double a = x, b = y, c = z, r;
    switch (mnemonic) {
    case PTX_OP_add:
        r = a + b;
        break;
    case PTX_OP_sub:
        r = a - b;
        break;
    case PTX_OP_mul:
        r = a * b;
        break;
    case PTX_OP_div:
        r = a / b;
        break;
    case PTX_OP_rcp:
        r = 1.0 / a;
        break;
    case PTX_OP_sqrt:
        r = sqrt(a);
        break;
    default:
        r = fma(a, b, c);
        break;
    }
    return r;
}

static float flush(float x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0.0f, x) : x;
}

/* in->op: rounding; in->imm: mnemonic. Sources a mnemonic lacks point to its first. */
static void rounded_f32(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    float *d = ptx_ref(w, in->d);
    const float *a = ptx_ref(w, in->a);
    const float *b = in->b != PTX_NO_REF ? ptx_ref(w, in->b) : a;
    const float *c = in->c != PTX_NO_REF ? ptx_ref(w, in->c) : a;
    bool ftz = in->flags & PTX_INST_FTZ;
    int before = fegetround();
    fesetround(host_mode(in->op));
    for (unsigned i = 0; i < EMU_LANES; i++) {
        if (!(mask >> i & 1))
            continue;
        float r = ftz ? operate32((unsigned)in->imm, flush(a[i]), flush(b[i]), flush(c[i]))
                      : operate32((unsigned)in->imm, a[i], b[i], c[i]);
        if (ftz)
            r = flush(r);
        if (in->flags & PTX_INST_SAT)
            r = r > 0.0f ? (r < 1.0f ? r : 1.0f) : 0.0f;
        uint32_t nan = 0x7fffffffu;
        if (r != r)
            memcpy(&r, &nan, sizeof r);
        d[i] = r;
    }
    fesetround(before);
}

static void rounded_f64(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    double *d = ptx_ref(w, in->d);
    const double *a = ptx_ref(w, in->a);
    const double *b = in->b != PTX_NO_REF ? ptx_ref(w, in->b) : a;
    const double *c = in->c != PTX_NO_REF ? ptx_ref(w, in->c) : a;
    int before = fegetround();
    fesetround(host_mode(in->op));
    for (unsigned i = 0; i < EMU_LANES; i++) {
        if (!(mask >> i & 1))
            continue;
        double r = operate64((unsigned)in->imm, a[i], b[i], c[i]);
        uint64_t nan = 0xfff8000000000000ull;
        if (r != r)
            memcpy(&r, &nan, sizeof r);
        d[i] = r;
    }
    fesetround(before);
}

ptx_handler *ptx_rounded_handler(unsigned mnemonic, unsigned type)
{
    switch (mnemonic) {
    case PTX_OP_add:
    case PTX_OP_sub:
    case PTX_OP_mul:
    case PTX_OP_div:
    case PTX_OP_rcp:
    case PTX_OP_sqrt:
    case PTX_OP_fma:
    case PTX_OP_mad:
        return type == PTX_F32 ? rounded_f32 : type == PTX_F64 ? rounded_f64 : NULL;
    default:
        return NULL;
    }
}
