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

static bool keep_back(struct sass_warp *w, const struct sass_exec *op, uint32_t *mask,
                      const uint64_t **host)
{
    uint64_t operand[EMU_LANES];
    for (unsigned i = 0; i < EMU_LANES; i++)
        operand[i] = lane_value(w, op->b, i, op->width == 8);
    return emu_atomic_ahead(&w->base, &op->site, op->mode, op->mode2, op->width, operand, mask,
                            host);
}

/* What a lane adds; 0: it only looks. */
static uint64_t added(struct sass_warp *w, const struct sass_exec *op, unsigned lane)
{
    return op->mode3 == SASS_ATOM_COUNTS ? 1 : lane_value(w, op->b, lane, op->width == 8);
}

static bool leaves_work(struct sass_warp *w, const struct sass_exec *op, uint32_t mask,
                        const uint64_t *host)
{
    return op->d != SASS_NO_ROW && emu_counts_up_or_down(op->mode) &&
           added(w, op, lowest_bit32(mask)) && emu_leaves_work(&w->base, mask, host);
}

/* mode: enum emu_atomic, mode2: enum emu_type. A compare and swap compares with b and stores c. d
 * is SASS_NO_ROW for reductions; mode3: the operand is the number of lanes at the address
 * (POPC.INC), or d gets 1 where the swap was made (CAST), which is what the code after it asks. */
HANDLER(sass_run_atomic)
{
    bool wide = op->width == 8;
    uint64_t hash = mask;
    sass_addresses(w, op->extra);
    sass_shared_addresses(w, op->site.space);
    const uint64_t *host = emu_resolve(&w->base, &op->site, mask, op->width);
    if (!host)
        return;
    if (w->base.block->ahead ? !keep_back(w, op, &mask, &host) : leaves_work(w, op, mask, host))
        return;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        uint64_t value = added(w, op, lane);
        uint64_t old = emu_atomic_apply(op->mode, op->mode2, (uint8_t *)(uintptr_t)host[lane],
                                        value, lane_value(w, op->c, lane, wide));
        hash = mix64(hash ^ host[lane]) + old;
        w->base.block->swapped |= op->swaps && old == value;
        if (op->d != SASS_NO_ROW)
            set_lane(w, op->d, lane, wide, op->mode3 == SASS_ATOM_TELLS ? old == value : old);
    }
    sass_set_pred(w, op->pd, mask, EMU_FULL);
    /* The same failing atomic again and again is a lock somebody else holds. */
    emu_notice_atomic(&w->base, &op->site, mask, hash, op->mode);
}

/* The same for vectors: each word is an operation of its own. */
HANDLER(sass_run_atomic_vector)
{
    sass_addresses(w, op->extra);
    const uint64_t *host = emu_resolve(&w->base, &op->site, mask, op->width);
    if (!host)
        return;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        for (unsigned k = 0; k < op->words; k++) {
            uint8_t *memory = (uint8_t *)(uintptr_t)host[lane] + 4 * k;
            uint64_t old =
                emu_atomic_apply(op->mode, op->mode2, memory, sass_row_at(w, op->b, k)[lane], 0);
            if (op->d != SASS_NO_ROW)
                sass_row_at(w, op->d, k)[lane] = (uint32_t)old;
        }
    }
    sass_set_pred(w, op->pd, mask, EMU_FULL);
}
