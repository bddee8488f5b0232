/* sass_exec_warp.c - exchange between the lanes of a warp, special registers, barriers as values.
 */
#include <string.h>

#include "base/bits.h"
#include "emulator/device_calls.h"
#include "sass/handlers.h"

/* Source lane of a shuffle, after the definition PTX gives; *inside: it lies in its segment. */
static unsigned shuffle_source(unsigned mode, unsigned lane, uint32_t b, uint32_t c, bool *inside)
{
    unsigned clamp = c & 31, segment = c >> 8 & 31;
    int max = (int)((lane & segment) | (clamp & ~segment)), min = (int)(lane & segment), j;
    b &= 31;
    switch (mode) {
    case SASS_SHFL_UP:
        j = (int)lane - (int)b;
        *inside = j >= max;
        break;
    case SASS_SHFL_DOWN:
        j = (int)(lane + b);
        *inside = j <= max;
        break;
    case SASS_SHFL_BFLY:
        j = (int)(lane ^ b);
        *inside = j <= max;
        break;
    default:
        j = min | (int)(b & ~segment & 31);
        *inside = j <= max;
    }
    return *inside ? (unsigned)j & 31 : lane;
}

HANDLER(sass_run_shfl)
{
    const uint32_t *a = sass_row(w, op->a), *b = sass_row(w, op->b), *c = sass_row(w, op->c);
    uint32_t *d = sass_row(w, op->d), out[EMU_LANES], inside_mask = 0;
    for (unsigned i = 0; i < EMU_LANES; i++) {
        bool inside;
        out[i] = a[shuffle_source(op->mode, i, b[i], c[i], &inside)];
        inside_mask |= (uint32_t)inside << i;
    }
    EMU_STORE_LANES(d, mask, out[i]);
    sass_set_pred(w, op->pd, mask, inside_mask);
}

/* mode: enum sass_vote. d gets the ballot, of the lanes that take part. */
HANDLER(sass_run_vote)
{
    uint32_t *d = sass_row(w, op->d), yes = sass_pred(w, op->ps) & mask;
    bool result = op->mode == SASS_VOTE_ALL   ? yes == mask
                  : op->mode == SASS_VOTE_ANY ? yes != 0
                                              : yes == mask || !yes;
    /* A uniform result is one for the warp. */
    uint32_t written = op->mode2 ? EMU_FULL : mask;
    EMU_STORE_LANES(d, written, yes);
    sass_set_pred(w, op->pd, written, result ? EMU_FULL : 0);
}

static uint64_t lane_value(const struct sass_warp *w, const struct sass_exec *op, unsigned lane)
{
    uint64_t value = sass_row(w, op->a)[lane];
    return op->words > 1 ? value | (uint64_t)sass_row_at(w, op->a, 1)[lane] << 32 : value;
}

/* mode: all, else any. */
HANDLER(sass_run_match)
{
    uint32_t *d = sass_row(w, op->d), equal[EMU_LANES] = {0};
    bool all = true;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        for (uint32_t others = mask; others; others &= others - 1)
            if (lane_value(w, op, lane) == lane_value(w, op, lowest_bit32(others)))
                equal[lane] |= others & (0 - others);
        all &= equal[lane] == mask;
    }
    if (op->mode)
        EMU_STORE_LANES(d, mask, all ? mask : 0);
    else
        EMU_STORE_LANES(d, mask, equal[i]);
    sass_set_pred(w, op->pd, mask, all ? EMU_FULL : 0);
}

static uint32_t reduce(unsigned operation, bool is_signed, uint32_t x, uint32_t y)
{
    bool y_less = is_signed ? (int32_t)y < (int32_t)x : y < x;
    switch (operation) {
    case SASS_REDUCE_SUM:
        return x + y;
    case SASS_REDUCE_AND:
        return x & y;
    case SASS_REDUCE_OR:
        return x | y;
    case SASS_REDUCE_XOR:
        return x ^ y;
    case SASS_REDUCE_MIN:
        return y_less ? y : x;
    default:
        return y_less ? x : y;
    }
}

/* The result is uniform. */
HANDLER(sass_run_redux)
{
    const uint32_t *a = sass_row(w, op->a);
    uint32_t *d = sass_row(w, op->d), result = a[lowest_bit32(mask)];
    for (uint32_t rest = mask & (mask - 1); rest; rest &= rest - 1)
        result = reduce(op->mode, op->is_signed, result, a[lowest_bit32(rest)]);
    EMU_STORE_LANES(d, EMU_FULL, result);
}

/* The value of the first lane for all. */
/* The value of one lane; the predicate tells whether another lane has a different one. */
HANDLER(sass_run_r2ur)
{
    const uint32_t *a = sass_row(w, op->a);
    uint32_t differs = 0; /* lanes whose value is not the one taken: loops come back for them */
    for (uint32_t rest = op->pd == SASS_PRED_SINK ? 0 : mask; rest; rest &= rest - 1)
        differs |= (uint32_t)(a[lowest_bit32(rest)] != a[lowest_bit32(mask)]) << lowest_bit32(rest);
    sass_set_pred(w, op->pd, mask, differs);
    for (unsigned k = 0; k < op->words; k++) {
        uint32_t value = sass_row_at(w, op->a, k)[lowest_bit32(mask)];
        uint32_t *d = sass_row_at(w, op->d, k);
        EMU_STORE_LANES(d, EMU_FULL, value);
    }
}

HANDLER(sass_run_elect)
{
    uint32_t able = mask & sass_pred(w, op->ps), *d = sass_row(w, op->d);
    if (!able) {
        sass_set_pred(w, op->pd, mask, 0);
        return;
    }
    uint32_t leader = lowest_bit32(able);
    EMU_STORE_LANES(d, EMU_FULL, leader);
    sass_set_pred(w, op->pd, op->mode2 ? EMU_FULL : mask, op->mode2 ? EMU_FULL : 1u << leader);
}

/* An 8 x 8 matrix of 16-bit elements across the warp, transposed. */
HANDLER(sass_run_movm)
{
    const uint32_t *a = sass_row(w, op->a);
    uint32_t *d = sass_row(w, op->d), out[EMU_LANES];
    uint16_t tile[8][8];
    for (unsigned lane = 0; lane < EMU_LANES; lane++) {
        tile[lane / 4][lane % 4 * 2] = (uint16_t)a[lane];
        tile[lane / 4][lane % 4 * 2 + 1] = (uint16_t)(a[lane] >> 16);
    }
    for (unsigned lane = 0; lane < EMU_LANES; lane++)
        out[lane] = tile[lane % 4 * 2][lane / 4] | (uint32_t)tile[lane % 4 * 2 + 1][lane / 4] << 16;
    EMU_STORE_LANES(d, mask, out[i]);
}

/* ---- special registers ---- */

static uint32_t special(const struct sass_warp *w, unsigned which, unsigned lane)
{
    const struct emu_block *block = w->base.block;
    const struct emu_run *run = block->run;
    struct strata_dim3 size = run->launch->block;
    uint32_t thread = w->base.index * EMU_LANES + lane, bit = 1u << lane;
    uint32_t x = thread % size.x, y = thread / size.x % size.y, z = thread / size.x / size.y;
    switch (which) {
    case SASS_SR_LANEID:
        return lane;
    case SASS_SR_TID: /* x in 16 bits, y in 10, z in 6 */
        return x | y << 16 | z << 26;
    case SASS_SR_TID_X:
        return x;
    case SASS_SR_TID_Y:
        return y;
    case SASS_SR_TID_Z:
        return z;
    case SASS_SR_CTAID_X:
        return block->id[0];
    case SASS_SR_CTAID_Y:
        return block->id[1];
    case SASS_SR_CTAID_Z:
        return block->id[2];
    case SASS_SR_NTID:
        return size.x | size.y << 16 | size.z << 26;
    case SASS_SR_LANEMASK_EQ:
        return bit;
    case SASS_SR_LANEMASK_LT:
        return bit - 1;
    case SASS_SR_LANEMASK_LE:
        return bit | (bit - 1);
    case SASS_SR_LANEMASK_GT:
        return ~(bit | (bit - 1));
    case SASS_SR_LANEMASK_GE:
        return ~(bit - 1);
    case SASS_SR_VIRTID: /* the SM in bits 20.. and the warp in 8..: as %smid and %warpid read it */
        return (uint32_t)(block->index % emu_sm_count(run)) << 20 | w->base.index << 8 | lane;
    case SASS_SR_VIRTSMID:
        return (uint32_t)(block->index % emu_sm_count(run));
    case SASS_SR_SHARED_WINDOW:
        return (uint32_t)(STRATA_SHARED_WINDOW >> 32);
    case SASS_SR_LOCAL_WINDOW:
        return (uint32_t)(STRATA_LOCAL_WINDOW >> 32);
    case SASS_SR_SMEM_SIZE:
        return (uint32_t)round_up(block->shared_bytes, EMU_SHARED_PIECE_BYTES);
    case SASS_SR_CLUSTER_RANK:
        return block->rank;
    case SASS_SR_ONE:
        return 1;
    default:
        return 0;
    }
}

/* mode: enum sass_special; words: rows, the second is zero. */
HANDLER(sass_run_special)
{
    uint32_t *d = sass_row(w, op->d), value[EMU_LANES];
    if (op->uniform) {
        uint32_t one = special(w, op->mode, lowest_bit32(emu_path_now(&w->base)->mask));
        EMU_EACH_LANE value[i] = one;
    } else {
        for (unsigned i = 0; i < EMU_LANES; i++)
            value[i] = special(w, op->mode, i);
    }
    EMU_STORE_LANES(d, mask, value[i]);
    if (op->words > 1) {
        d = sass_row_at(w, op->d, 1);
        EMU_STORE_LANES(d, mask, 0u);
    }
}

/* mode: the upper word; mode2: in nanoseconds. */
HANDLER(sass_run_clock)
{
    uint64_t now = op->mode2 ? emu_clock_nanoseconds(&w->base, &op->site)
                             : emu_clock_cycles(&w->base, &op->site);
    uint32_t *d = sass_row(w, op->d);
    EMU_STORE_LANES(d, mask, (uint32_t)(op->mode ? now >> 32 : now));
    if (op->words > 1) {
        d = sass_row_at(w, op->d, 1);
        EMU_STORE_LANES(d, mask, (uint32_t)(now >> 32));
    }
}

/* The address of the next instruction. */
HANDLER(sass_run_lepc)
{
    uint64_t address = sass_address_of(w->image, w->base.pc) + (uint64_t)op->imm;
    uint32_t *low = sass_row(w, op->d), *high = sass_row_at(w, op->d, 1);
    EMU_STORE_LANES(low, mask, (uint32_t)address);
    EMU_STORE_LANES(high, mask, (uint32_t)(address >> 32));
}

/* ---- convergence barriers as values; mode2: barrier, mode: clear it ---- */

HANDLER(sass_run_bmov_read)
{
    uint32_t *d = sass_row(w, op->d);
    uint32_t *group = w->convergence[op->mode2 & 15];
    EMU_STORE_LANES(d, mask, group[i]);
    if (op->mode)
        EMU_STORE_LANES(group, mask, 0u);
}
HANDLER(sass_run_bmov_write)
{
    const uint32_t *b = sass_row(w, op->b);
    uint32_t *group = w->convergence[op->mode2 & 15];
    EMU_STORE_LANES(group, mask, b[i]);
}

/* What the last barrier with a reduction gave this lane. */
HANDLER(sass_run_bar_result)
{
    uint32_t *d = sass_row(w, op->d);
    EMU_STORE_LANES(d, mask, w->bar_count[i]);
    sass_set_pred(w, op->pd, mask, w->bar_true);
}

/* ---- calls into the system: arguments in R4 on, result in R4 ---- */

static uint64_t argument(const struct sass_warp *w, unsigned reg, unsigned lane)
{
    return sass_row(w, reg * SASS_ROW_BYTES)[lane] |
           (uint64_t)sass_row(w, (reg + 1) * SASS_ROW_BYTES)[lane] << 32;
}

static void run_syscall_lane(struct sass_warp *w, const struct sass_exec *op, unsigned syscall,
                             unsigned lane, struct emu_printed *printed)
{
    uint64_t first = argument(w, 4, lane), second = argument(w, 6, lane), address;
    uint32_t *low = sass_row(w, 4 * SASS_ROW_BYTES), *high = sass_row(w, 5 * SASS_ROW_BYTES);
    switch (syscall) {
    case SASS_CALL_VPRINTF:
        if (!emu_print(&w->base, lane, first, second, printed))
            emu_no_memory(&w->base, &op->site, lane, "for printf");
        low[lane] = printed->arguments;
        break;
    case SASS_CALL_MALLOC:
        address = emu_device_malloc(&w->base, first);
        low[lane] = (uint32_t)address;
        high[lane] = (uint32_t)(address >> 32);
        break;
    case SASS_CALL_FREE:
        emu_device_free(&w->base, first);
        break;
    case SASS_CALL_ASSERTFAIL:
        emu_assert_failed(&w->base, &op->site, lane, first, second,
                          sass_row(w, 8 * SASS_ROW_BYTES)[lane], argument(w, 10, lane));
        break;
    default:
        emu_fail(&w->base, &op->site, lane, STRATA_EUNSUPPORTED,
                 "it calls a function of the system that is not provided");
    }
}

void sass_run_syscall(struct sass_warp *w, const struct sass_exec *op, unsigned syscall,
                      uint32_t mask)
{
    if (w->image->n_registers < 12) {
        emu_fail(&w->base, &op->site, lowest_bit32(mask), STRATA_EFORMAT,
                 "it calls the system with too few registers");
        return;
    }
    struct emu_printed printed = {0};
    for (uint32_t rest = mask; rest && !w->base.block->failed; rest &= rest - 1)
        run_syscall_lane(w, op, syscall, lowest_bit32(rest), &printed);
    if (w->base.block->failed)
        return;
    if (syscall == SASS_CALL_VPRINTF)
        emu_call_print(&w->base, &op->site, mask, &printed);
    else if (syscall == SASS_CALL_MALLOC)
        emu_call_malloc(&w->base, &op->site, mask);
    else if (syscall == SASS_CALL_FREE)
        emu_call_free(&w->base, &op->site, mask);
}
