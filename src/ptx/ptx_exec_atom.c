/* ptx_exec_atom.c - atomic operations. */
#include "base/bits.h"
#include "ptx/handlers.h"

/* ---- atom and red ---- */

static uint64_t lane_get(struct ptx_warp *w, uint32_t ref, unsigned lane, bool wide)
{
    if (ref == PTX_NO_REF)
        return 0;
    return wide ? ((uint64_t *)ptx_ref(w, ref))[lane] : ((uint32_t *)ptx_ref(w, ref))[lane];
}

static bool keep_back(struct ptx_warp *w, const struct ptx_inst *in, uint32_t *mask,
                      const uint64_t **host)
{
    uint64_t operand[EMU_LANES];
    for (unsigned i = 0; i < EMU_LANES; i++)
        operand[i] = lane_get(w, in->b, i, in->width == 8);
    return emu_atomic_ahead(&w->base, &in->site, in->op, in->is_signed, in->width, operand, mask,
                            host);
}

static bool leaves_work(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                        const uint64_t *host)
{
    return in->d != PTX_NO_REF && emu_counts_up_or_down(in->op) &&
           lane_get(w, in->b, lowest_bit32(mask), in->width == 8) &&
           emu_leaves_work(&w->base, mask, host);
}

void ptx_run_atomic(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const uint64_t *host = ptx_resolve(w, in, mask, in->width);
    bool wide = in->width == 8;
    uint64_t hash = mask;
    if (!host)
        return;
    if (w->base.block->ahead ? !keep_back(w, in, &mask, &host) : leaves_work(w, in, mask, host))
        return;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        uint64_t value = lane_get(w, in->b, lane, wide), other = lane_get(w, in->c, lane, wide);
        uint64_t old =
            emu_atomic_apply(in->op, in->is_signed, (uint8_t *)(uintptr_t)host[lane], value, other);
        hash = mix64(hash ^ host[lane]) + old;
        if (in->d == PTX_NO_REF)
            continue;
        if (wide)
            ((uint64_t *)ptx_ref(w, in->d))[lane] = old;
        else
            ((uint32_t *)ptx_ref(w, in->d))[lane] = (uint32_t)old;
    }
    /* The same failing atomic again and again is a lock somebody else holds. */
    emu_notice_atomic(&w->base, &in->site, mask, hash, in->op);
}

/* Each element of a vector is an operation of its own. */
void ptx_run_atomic_vector(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const struct ptx_atomic_vector *v = in->extra;
    const uint64_t *host = ptx_resolve(w, in, mask, (unsigned)in->width * in->n);
    for (uint32_t rest = host ? mask : 0; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        for (unsigned k = 0; k < in->n; k++) {
            uint8_t *memory = (uint8_t *)(uintptr_t)host[lane] + k * in->width;
            uint64_t old = emu_atomic_apply(in->op, in->is_signed, memory,
                                            lane_get(w, v->value[k], lane, false), 0);
            if (in->d != PTX_NO_REF)
                ((uint32_t *)ptx_ref(w, v->old[k]))[lane] = (uint32_t)old;
        }
    }
}
