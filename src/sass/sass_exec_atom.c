/* sass_exec_atom.c - atomic operations and reductions. */
#include <string.h>

#include "base/bits.h"
#include "sass/handlers.h"

static uint64_t lane_value(const struct sass_warp *w, uint32_t ref, unsigned lane, bool wide)
{
    if (ref == SASS_NO_ROW)
        return 0;
    uint64_t value = sass_row(w, ref)[lane];
    return wide ? value | (uint64_t)sass_row_at(w, ref, 1)[lane] << 32 : value;
}

static void set_lane(struct sass_warp *w, uint32_t ref, unsigned lane, bool wide, uint64_t value)
{
    sass_row(w, ref)[lane] = (uint32_t)value;
    if (wide)
        sass_row_at(w, ref, 1)[lane] = (uint32_t)(value >> 32);
}

static void defer_reduction(struct sass_warp *w, const struct sass_exec *op, uint32_t mask)
{
    uint64_t data[EMU_LANES];
    for (unsigned i = 0; i < EMU_LANES; i++)
        data[i] = lane_value(w, op->b, i, op->width == 8);
    if (!emu_defer(w->base.block, op->mode, op->mode2, op->width, mask, w->base.access.address,
                   data, sizeof data[0]))
        emu_no_memory(&w->base, &op->site, lowest_bit32(mask), "for its stores");
}

/* mode: enum emu_atomic, mode2: enum emu_type. A compare and swap compares with b and stores c. d
 * is SASS_NO_ROW for reductions; mode3: the operand is the number of lanes at the address
 * (POPC.INC). */
HANDLER(sass_run_atomic)
{
    bool wide = op->width == 8;
    uint64_t hash = mask;
    sass_addresses(w, op->extra);
    sass_shared_addresses(w, op->site.space);
    const uint64_t *host = emu_resolve(&w->base, &op->site, mask, op->width);
    if (!host)
        return;
    if (w->base.block->ahead) {
        bool ok;
        uint32_t later = emu_prepare_store(&w->base, &op->site, mask, op->width, true, &ok);
        if (!ok)
            return;
        if (later)
            defer_reduction(w, op, later);
        mask &= ~later;
        if (w->base.access.mixed_mask)
            host = w->base.access.host;
    }
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        uint64_t value = op->mode3 ? 1 : lane_value(w, op->b, lane, wide);
        uint64_t old = emu_atomic_apply(op->mode, op->mode2, (uint8_t *)(uintptr_t)host[lane],
                                        value, lane_value(w, op->c, lane, wide));
        hash = mix64(hash ^ host[lane]) + old;
        if (op->d != SASS_NO_ROW)
            set_lane(w, op->d, lane, wide, old);
    }
    sass_set_pred(w, op->pd, mask, EMU_FULL);
    /* The same failing atomic again and again is a lock somebody else holds. */
    sass_notice_poll(w, hash);
}

/* ATOMS.CAST.SPIN: one try of a compare and swap; the lanes at one address take turns, as hardware
 * makes them. d gets what was there, as with CAS. */
HANDLER(sass_run_cast_spin)
{
    sass_run_atomic(w, op, mask);
}
