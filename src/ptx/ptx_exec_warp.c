/* ptx_exec_warp.c - instructions that exchange values between the lanes of a warp. */
#include "base/bits.h"
#include "ptx/handlers.h"

/* Source lane of shfl, after the PTX definition; *inside: the lane lies in its segment. */
static unsigned shfl_source(unsigned mode, unsigned lane, uint32_t b, uint32_t c, bool *inside)
{
    unsigned clamp = c & 31, segment = c >> 8 & 31;
    int max = (int)((lane & segment) | (clamp & ~segment));
    int min = (int)(lane & segment), j;
    b &= 31;
    switch (mode) {
    case PTX_M_UP:
        j = (int)lane - (int)b;
        *inside = j >= max;
        break;
    case PTX_M_DOWN:
        j = (int)(lane + b);
        *inside = j <= max;
        break;
    case PTX_M_BFLY:
        j = (int)(lane ^ b);
        *inside = j <= max;
        break;
    default:
        j = min | (int)(b & ~segment & 31);
        *inside = j <= max;
    }
    return *inside ? (unsigned)j & 31 : lane;
}

/* in->op: mode; a value, b lane operand, c clamp and segment; d2 optional predicate. */
void ptx_run_shfl(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const uint32_t *a = ptx_ref(w, in->a), *b = ptx_ref(w, in->b), *c = ptx_ref(w, in->c);
    uint32_t out[EMU_LANES], inside_mask = 0;
    for (unsigned i = 0; i < EMU_LANES; i++) {
        bool inside;
        out[i] = a[shfl_source(in->op, i, b[i], c[i], &inside)];
        inside_mask |= (uint32_t)inside << i;
    }
    if (in->d != PTX_NO_REF) {
        uint32_t *d = ptx_ref(w, in->d);
        EMU_STORE_LANES(d, mask, out[i]);
    }
    if (in->d2 != PTX_NO_REF)
        ptx_set_predicate(w, in->d2, mask, inside_mask);
}

/* in->op: all, any, uni or ballot; a is a predicate. */
void ptx_run_vote(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    uint32_t yes = ptx_predicate(w, in->a) & mask;
    if (in->op == PTX_M_BALLOT) {
        uint32_t *d = ptx_ref(w, in->d);
        EMU_STORE_LANES(d, mask, yes);
        return;
    }
    bool result = in->op == PTX_M_ALL   ? yes == mask
                  : in->op == PTX_M_ANY ? yes != 0
                                        : yes == mask || yes == 0;
    ptx_set_predicate(w, in->d, mask, result ? EMU_FULL : 0);
}

static uint64_t lane_value(struct ptx_warp *w, const struct ptx_inst *in, unsigned lane)
{
    return in->width == 8 ? ((uint64_t *)ptx_ref(w, in->a))[lane]
                          : ((uint32_t *)ptx_ref(w, in->a))[lane];
}

/* in->op: any (mask of equal lanes) or all (mask if all are equal, d2 tells). */
void ptx_run_match(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    uint32_t equal[EMU_LANES] = {0};
    bool all = true;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        for (uint32_t others = mask; others; others &= others - 1) {
            unsigned other = lowest_bit32(others);
            if (lane_value(w, in, lane) == lane_value(w, in, other))
                equal[lane] |= 1u << other;
        }
        all &= equal[lane] == mask;
    }
    if (in->d != PTX_NO_REF) {
        uint32_t *d = ptx_ref(w, in->d);
        if (in->op == PTX_M_ANY)
            EMU_STORE_LANES(d, mask, equal[i]);
        else
            EMU_STORE_LANES(d, mask, all ? mask : 0);
    }
    if (in->d2 != PTX_NO_REF)
        ptx_set_predicate(w, in->d2, mask, all ? EMU_FULL : 0);
}

static uint32_t reduce(unsigned op, bool is_signed, uint32_t x, uint32_t y)
{
    bool y_less = is_signed ? (int32_t)y < (int32_t)x : y < x;
    switch (op) {
    case PTX_M_ADD:
        return x + y;
    case PTX_M_AND:
        return x & y;
    case PTX_M_OR:
        return x | y;
    case PTX_M_XOR:
        return x ^ y;
    case PTX_M_MIN:
        return y_less ? y : x;
    default:
        return y_less ? x : y;
    }
}

void ptx_run_redux(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const uint32_t *a = ptx_ref(w, in->a);
    uint32_t *d = ptx_ref(w, in->d);
    uint32_t result = a[lowest_bit32(mask)];
    for (uint32_t rest = mask & (mask - 1); rest; rest &= rest - 1)
        result = reduce(in->op, in->is_signed, result, a[lowest_bit32(rest)]);
    EMU_STORE_LANES(d, mask, result);
}

void ptx_run_elect(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    unsigned leader = lowest_bit32(mask);
    if (in->d != PTX_NO_REF) {
        uint32_t *d = ptx_ref(w, in->d);
        EMU_STORE_LANES(d, mask, leader);
    }
    ptx_set_predicate(w, in->d2, mask, 1u << leader);
}
