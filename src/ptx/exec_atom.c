/* exec_atom.c - atomic operations, and the stores independent blocks keep for later. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "ptx/half.h"
#include "ptx/handlers.h"

/* ---- one operation on one word ---- */

static float f32_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float f;
    memcpy(&f, &low, sizeof f);
    return f;
}
static uint64_t bits_of_f32(float f)
{
    uint32_t bits;
    if (f != f)
        return 0x7fffffffu;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}
static double f64_of(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}
static uint64_t bits_of_f64(double d)
{
    uint64_t bits;
    if (d != d)
        return 0xfff8000000000000ull;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

static uint16_t half_op(unsigned op, bool bfloat, uint16_t old, uint16_t value)
{
    double x = bfloat ? ptx_bfloat_value(old) : ptx_half_value(old);
    double y = bfloat ? ptx_bfloat_value(value) : ptx_half_value(value);
    double r = op == PTX_M_ADD ? ptx_add_odd(x, y) : op == PTX_M_MIN ? fmin(x, y) : fmax(x, y);
    return bfloat ? ptx_bfloat_from(r, PTX_ROUND_NEAREST) : ptx_half_from(r, PTX_ROUND_NEAREST);
}

static uint64_t float_op(unsigned op, unsigned type, uint64_t old, uint64_t value)
{
    switch (type) {
    case PTX_F32: {
        float x = f32_of(old), y = f32_of(value);
        return bits_of_f32(op == PTX_M_ADD ? x + y : op == PTX_M_MIN ? fminf(x, y) : fmaxf(x, y));
    }
    case PTX_F64: {
        double x = f64_of(old), y = f64_of(value);
        return bits_of_f64(op == PTX_M_ADD ? x + y : op == PTX_M_MIN ? fmin(x, y) : fmax(x, y));
    }
    case PTX_F16:
    case PTX_BF16:
        return half_op(op, type == PTX_BF16, (uint16_t)old, (uint16_t)value);
    default: {
        bool bfloat = type == PTX_BF16X2;
        uint32_t high = half_op(op, bfloat, (uint16_t)(old >> 16), (uint16_t)(value >> 16));
        return high << 16 | half_op(op, bfloat, (uint16_t)old, (uint16_t)value);
    }
    }
}

static bool less(unsigned type, uint64_t x, uint64_t y)
{
    switch (type) {
    case PTX_S32:
        return (int32_t)x < (int32_t)y;
    case PTX_S64:
        return (int64_t)x < (int64_t)y;
    default:
        return x < y;
    }
}

static uint64_t int_op(unsigned op, unsigned type, uint64_t old, uint64_t value, uint64_t other)
{
    switch (op) {
    case PTX_M_ADD:
        return old + value;
    case PTX_M_AND:
        return old & value;
    case PTX_M_OR:
        return old | value;
    case PTX_M_XOR:
        return old ^ value;
    case PTX_M_MIN:
        return less(type, value, old) ? value : old;
    case PTX_M_MAX:
        return less(type, old, value) ? value : old;
    case PTX_M_INC:
        return old >= value ? 0 : old + 1;
    case PTX_M_DEC:
        return old == 0 || old > value ? value : old - 1;
    case PTX_M_CAS:
        return old == value ? other : old;
    default:
        return value; /* exch */
    }
}

uint64_t ptx_atomic_apply(unsigned op, unsigned type, uint8_t *memory, uint64_t value,
                          uint64_t other)
{
    unsigned bytes = ptx_type_bytes(type);
    uint64_t mask = bytes == 8 ? ~0ull : (1ull << (8 * bytes)) - 1, old = 0;
    memcpy(&old, memory, bytes);
    bool is_float = ptx_type_kind(type) == 'f' && op != PTX_M_EXCH && op != PTX_M_CAS;
    uint64_t now = is_float ? float_op(op, type, old, value)
                            : int_op(op, type, old, value & mask, other & mask);
    memcpy(memory, &now, bytes);
    return old;
}

/* ---- atom and red ---- */

static uint64_t lane_get(struct ptx_warp *w, uint32_t ref, unsigned lane, bool wide)
{
    if (ref == PTX_NO_REF)
        return 0;
    return wide ? ((uint64_t *)ptx_ref(w, ref))[lane] : ((uint32_t *)ptx_ref(w, ref))[lane];
}

static void defer_reduction(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    uint64_t data[PTX_LANES];
    bool wide = in->width == 8;
    for (unsigned i = 0; i < PTX_LANES; i++)
        data[i] = lane_get(w, in->b, i, wide);
    if (!ptx_defer(w->block, in->op, in->is_signed, in->width, mask, w->access.address, data,
                   sizeof data[0]))
        ptx_fail(w, in, lowest_bit32(mask), STRATA_ENOMEM, "out of memory for its stores");
}

void ptx_run_atomic(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const uint64_t *host = ptx_resolve(w, in, mask, in->width);
    bool wide = in->width == 8;
    struct ptx_path *path = &w->paths[w->n_paths - 1];
    uint64_t hash = mask;
    if (!host)
        return;
    uint32_t global = mask & ~(w->access.shared_mask | w->access.local_mask);
    if (w->block->run->defer_stores && global) {
        defer_reduction(w, in, global);
        mask &= ~global;
    }
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        uint64_t value = lane_get(w, in->b, lane, wide), other = lane_get(w, in->c, lane, wide);
        uint64_t old =
            ptx_atomic_apply(in->op, in->is_signed, (uint8_t *)(uintptr_t)host[lane], value, other);
        hash = mix64(hash ^ host[lane]) + old;
        if (in->d == PTX_NO_REF)
            continue;
        if (wide)
            ((uint64_t *)ptx_ref(w, in->d))[lane] = old;
        else
            ((uint32_t *)ptx_ref(w, in->d))[lane] = (uint32_t)old;
    }
    /* The same failing atomic again and again is a lock somebody else holds. */
    bool same = path->poll_pc == w->pc && path->poll_hash == hash;
    path->polls = same ? path->polls + 1 : 0;
    path->poll_pc = w->pc;
    path->poll_hash = hash;
}

/* ---- deferred stores ---- */

struct deferred_head {
    uint32_t mask;
    uint8_t op, type, bytes, unused;
};

bool ptx_defer(struct ptx_block *block, unsigned op, unsigned type, unsigned bytes, uint32_t mask,
               const uint64_t *address, const void *data, unsigned data_stride)
{
    struct ptx_deferred *log = &block->deferred;
    unsigned lanes = popcount32(mask);
    size_t need = sizeof(struct deferred_head) + (size_t)lanes * (sizeof *address + bytes) + 8;
    if (!ARRAY_RESERVE(log->bytes, log->n, log->cap, need))
        return false;
    struct deferred_head head = {mask, (uint8_t)op, (uint8_t)type, (uint8_t)bytes, 0};
    memcpy(log->bytes + log->n, &head, sizeof head);
    log->n += sizeof head;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        memcpy(log->bytes + log->n, &address[lane], sizeof *address);
        memcpy(log->bytes + log->n + sizeof *address,
               (const uint8_t *)data + (size_t)lane * data_stride, bytes);
        log->n += sizeof *address + bytes;
    }
    return true;
}

void ptx_deferred_apply(struct ptx_deferred *log)
{
    size_t at = 0;
    while (at < log->n) {
        struct deferred_head head;
        memcpy(&head, log->bytes + at, sizeof head);
        at += sizeof head;
        for (unsigned lanes = popcount32(head.mask); lanes; lanes--) {
            uint64_t address, value = 0;
            memcpy(&address, log->bytes + at, sizeof address);
            const uint8_t *data = log->bytes + at + sizeof address;
            uint8_t *memory = (uint8_t *)(uintptr_t)address;
            if (!head.op) {
                memcpy(memory, data, head.bytes);
            } else {
                memcpy(&value, data, head.bytes);
                ptx_atomic_apply(head.op, head.type, memory, value, 0);
            }
            at += sizeof address + head.bytes;
        }
    }
    log->n = 0;
}
