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

/* The lanes that take part with those of `mask`. */
static uint32_t participants(const struct ptx_warp *w, uint32_t mask)
{
    return w->exchange ? w->exchange->lanes : mask;
}

static uint64_t lane_value(const struct ptx_warp *w, const struct ptx_inst *in, unsigned lane)
{
    if (w->exchange)
        return w->exchange->value[lane];
    return in->width == 8 ? ((const uint64_t *)ptx_ref(w, in->a))[lane]
                          : ((const uint32_t *)ptx_ref(w, in->a))[lane];
}

static uint32_t votes(const struct ptx_warp *w, const struct ptx_inst *in)
{
    return w->exchange ? w->exchange->yes : ptx_predicate(w, in->a);
}

void ptx_exchange_add(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                      struct ptx_exchange *all)
{
    all->lanes |= mask;
    if (in->run == ptx_run_vote)
        all->yes |= votes(w, in) & mask;
    for (uint32_t rest = in->a != PTX_NO_REF && in->run != ptx_run_vote ? mask : 0; rest;
         rest &= rest - 1)
        all->value[lowest_bit32(rest)] = lane_value(w, in, lowest_bit32(rest));
}

/* in->op: mode; a value, b lane operand, c clamp and segment; d2 optional predicate. */
void ptx_run_shfl(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const uint32_t *a = ptx_ref(w, in->a), *b = ptx_ref(w, in->b), *c = ptx_ref(w, in->c);
    uint32_t out[EMU_LANES], given[EMU_LANES], inside_mask = 0;
    for (unsigned i = 0; w->exchange && i < EMU_LANES; i++)
        given[i] = (uint32_t)w->exchange->value[i];
    a = w->exchange ? given : a;
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
    uint32_t all = participants(w, mask), yes = votes(w, in) & all;
    if (in->op == PTX_M_BALLOT) {
        uint32_t *d = ptx_ref(w, in->d);
        EMU_STORE_LANES(d, mask, yes);
        return;
    }
    bool result = in->op == PTX_M_ALL   ? yes == all
                  : in->op == PTX_M_ANY ? yes != 0
                                        : yes == all || yes == 0;
    ptx_set_predicate(w, in->d, mask, result ? EMU_FULL : 0);
}

/* in->op: any (mask of equal lanes) or all (mask if all are equal, d2 tells). */
void ptx_run_match(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    uint32_t equal[EMU_LANES] = {0}, members = participants(w, mask);
    bool all = true;
    for (uint32_t rest = members; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        for (uint32_t others = members; others; others &= others - 1) {
            unsigned other = lowest_bit32(others);
            if (lane_value(w, in, lane) == lane_value(w, in, other))
                equal[lane] |= 1u << other;
        }
        all &= equal[lane] == members;
    }
    if (in->d != PTX_NO_REF) {
        uint32_t *d = ptx_ref(w, in->d);
        if (in->op == PTX_M_ANY)
            EMU_STORE_LANES(d, mask, equal[i]);
        else
            EMU_STORE_LANES(d, mask, all ? members : 0);
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
    uint32_t *d = ptx_ref(w, in->d), all = participants(w, mask);
    uint32_t result = (uint32_t)lane_value(w, in, lowest_bit32(all));
    for (uint32_t rest = all & (all - 1); rest; rest &= rest - 1)
        result =
            reduce(in->op, in->is_signed, result, (uint32_t)lane_value(w, in, lowest_bit32(rest)));
    EMU_STORE_LANES(d, mask, result);
}

void ptx_run_elect(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    unsigned leader = lowest_bit32(participants(w, mask));
    if (in->d != PTX_NO_REF) {
        uint32_t *d = ptx_ref(w, in->d);
        EMU_STORE_LANES(d, mask, leader);
    }
    ptx_set_predicate(w, in->d2, mask, 1u << leader);
}
