/* atomic.c - atomic operations, and the stores independent blocks keep for later. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "emulator/emulator.h"
#include "emulator/half.h"

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
    double x = bfloat ? emu_bfloat_value(old) : emu_half_value(old);
    double y = bfloat ? emu_bfloat_value(value) : emu_half_value(value);
    double r = op == EMU_ATOM_ADD   ? emu_add_odd(x, y)
               : op == EMU_ATOM_MIN ? fmin(x, y)
                                    : fmax(x, y);
    return bfloat ? emu_bfloat_from(r, EMU_ROUND_NEAREST) : emu_half_from(r, EMU_ROUND_NEAREST);
}

static uint64_t float_op(unsigned op, unsigned type, uint64_t old, uint64_t value)
{
    switch (type) {
    case EMU_F32: {
        float x = f32_of(old), y = f32_of(value);
        return bits_of_f32(op == EMU_ATOM_ADD   ? x + y
                           : op == EMU_ATOM_MIN ? fminf(x, y)
                                                : fmaxf(x, y));
    }
    case EMU_F64: {
        double x = f64_of(old), y = f64_of(value);
        return bits_of_f64(op == EMU_ATOM_ADD   ? x + y
                           : op == EMU_ATOM_MIN ? fmin(x, y)
                                                : fmax(x, y));
    }
    case EMU_F16:
    case EMU_BF16:
        return half_op(op, type == EMU_BF16, (uint16_t)old, (uint16_t)value);
    default: {
        bool bfloat = type == EMU_BF16X2;
        uint32_t high = half_op(op, bfloat, (uint16_t)(old >> 16), (uint16_t)(value >> 16));
        return high << 16 | half_op(op, bfloat, (uint16_t)old, (uint16_t)value);
    }
    }
}

static bool less(unsigned type, uint64_t x, uint64_t y)
{
    switch (type) {
    case EMU_S32:
        return (int32_t)x < (int32_t)y;
    case EMU_S64:
        return (int64_t)x < (int64_t)y;
    default:
        return x < y;
    }
}

static uint64_t int_op(unsigned op, unsigned type, uint64_t old, uint64_t value, uint64_t other)
{
    switch (op) {
    case EMU_ATOM_ADD:
        return old + value;
    case EMU_ATOM_AND:
        return old & value;
    case EMU_ATOM_OR:
        return old | value;
    case EMU_ATOM_XOR:
        return old ^ value;
    case EMU_ATOM_MIN:
        return less(type, value, old) ? value : old;
    case EMU_ATOM_MAX:
        return less(type, old, value) ? value : old;
    case EMU_ATOM_INC:
        return old >= value ? 0 : old + 1;
    case EMU_ATOM_DEC:
        return old == 0 || old > value ? value : old - 1;
    case EMU_ATOM_CAS:
        return old == value ? other : old;
    default:
        return value; /* exch */
    }
}

static unsigned type_bytes(unsigned type)
{
    switch (type) {
    case EMU_U64:
    case EMU_S64:
    case EMU_F64:
        return 8;
    case EMU_U16:
    case EMU_F16:
    case EMU_BF16:
        return 2;
    default:
        return 4;
    }
}

uint64_t emu_atomic_apply(unsigned op, unsigned type, uint8_t *memory, uint64_t value,
                          uint64_t other)
{
    unsigned bytes = type_bytes(type);
    uint64_t mask = bytes == 8 ? ~0ull : (1ull << (8 * bytes)) - 1, old = 0;
    memcpy(&old, memory, bytes);
    bool is_float = type >= EMU_F16 && op != EMU_ATOM_EXCH && op != EMU_ATOM_CAS;
    uint64_t now = is_float ? float_op(op, type, old, value)
                            : int_op(op, type, old, value & mask, other & mask);
    memcpy(memory, &now, bytes);
    return old;
}

/* ---- deferred stores ---- */

struct deferred_head {
    uint32_t mask;
    uint8_t op, type, bytes;
    uint8_t row; /* one address, then the data of all lanes side by side */
};

/* A block that stores more than this runs again when its turn has come, without a log. */
#define MAX_LOG_BYTES ((size_t)64 << 20)

static bool log_reserve(struct emu_deferred *log, size_t bytes)
{
    if (log->n > MAX_LOG_BYTES) {
        log->overflow = true;
        log->n = 0;
    }
    return ARRAY_RESERVE(log->bytes, log->n, log->cap, bytes);
}

bool emu_defer_row(struct emu_block *block, unsigned bytes, uint64_t address, const void *data)
{
    struct emu_deferred *log = &block->deferred;
    struct deferred_head head = {EMU_FULL, 0, 0, (uint8_t)bytes, 1};
    size_t n = (size_t)bytes * EMU_LANES;
    if (!log_reserve(log, sizeof head + sizeof address + n))
        return false;
    memcpy(log->bytes + log->n, &head, sizeof head);
    memcpy(log->bytes + log->n + sizeof head, &address, sizeof address);
    memcpy(log->bytes + log->n + sizeof head + sizeof address, data, n);
    log->n += sizeof head + sizeof address + n;
    return true;
}

bool emu_defer(struct emu_block *block, unsigned op, unsigned type, unsigned bytes, uint32_t mask,
               const uint64_t *address, const void *data, unsigned data_stride)
{
    struct emu_deferred *log = &block->deferred;
    unsigned lanes = popcount32(mask);
    size_t need = sizeof(struct deferred_head) + (size_t)lanes * (sizeof *address + bytes) + 8;
    if (!log_reserve(log, need))
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

bool emu_atomic_ahead(struct emu_warp *w, const struct emu_site *site, unsigned op, unsigned type,
                      unsigned bytes, const uint64_t *operand, uint32_t *mask,
                      const uint64_t **host)
{
    bool ok;
    uint32_t later = emu_prepare_store(w, site, *mask, bytes, true, &ok);
    if (!ok)
        return false;
    if (later &&
        !emu_defer(w->block, op, type, bytes, later, w->access.address, operand, sizeof operand[0]))
        emu_no_memory(w, site, lowest_bit32(later), "for its stores");
    *mask &= ~later;
    if (w->access.mixed_mask)
        *host = w->access.host;
    return true;
}

void emu_deferred_apply(struct emu_deferred *log)
{
    size_t at = 0;
    while (at < log->n) {
        struct deferred_head head;
        memcpy(&head, log->bytes + at, sizeof head);
        at += sizeof head;
        if (head.row) {
            uint64_t address;
            memcpy(&address, log->bytes + at, sizeof address);
            at += sizeof address;
            memcpy((uint8_t *)(uintptr_t)address, log->bytes + at, (size_t)head.bytes * EMU_LANES);
            at += (size_t)head.bytes * EMU_LANES;
            continue;
        }
        for (unsigned lanes = popcount32(head.mask); lanes; lanes--) {
            uint64_t address, value = 0;
            memcpy(&address, log->bytes + at, sizeof address);
            const uint8_t *data = log->bytes + at + sizeof address;
            uint8_t *memory = (uint8_t *)(uintptr_t)address;
            if (!head.op) {
                memcpy(memory, data, head.bytes);
            } else {
                memcpy(&value, data, head.bytes);
                emu_atomic_apply(head.op, head.type, memory, value, 0);
            }
            at += sizeof address + head.bytes;
        }
    }
    log->n = 0;
}
