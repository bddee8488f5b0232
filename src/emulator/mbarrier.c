/* mbarrier.c - barriers in shared memory that count threads and bytes (mbarrier). */
#include "emulator/mbarrier.h"

#include <stddef.h>

/* Bits: pending 0-19, expected 20-39, bytes 40-60 with an offset of 2^20, present 62, phase 63. */
#define COUNT_MASK  0xfffffu
#define BYTES_SHIFT 40
#define BYTES_ZERO  (1 << 20)
#define PRESENT     ((uint64_t)1 << 62)

bool emu_mbarrier_unpack(uint64_t bits, struct emu_mbarrier *out)
{
    *out = (struct emu_mbarrier){.pending = (uint32_t)bits & COUNT_MASK,
                                 .expected = (uint32_t)(bits >> 20) & COUNT_MASK,
                                 .bytes = (int32_t)(bits >> BYTES_SHIFT & 0x1fffff) - BYTES_ZERO,
                                 .phase = bits >> 63};
    return bits & PRESENT;
}

uint64_t emu_mbarrier_pack(const struct emu_mbarrier *b)
{
    return (uint64_t)b->phase << 63 | PRESENT |
           (uint64_t)(uint32_t)(b->bytes + BYTES_ZERO) << BYTES_SHIFT |
           (uint64_t)b->expected << 20 | b->pending;
}

const char *emu_mbarrier_init(uint32_t count, struct emu_mbarrier *out)
{
    if (!count || count > EMU_MBARRIER_MAX_COUNT)
        return "is initialised for a number of arrivals outside 1 to 1048575";
    *out = (struct emu_mbarrier){.pending = count, .expected = count};
    return NULL;
}

static void end_phase(struct emu_mbarrier *b, bool *ended)
{
    if (b->pending || b->bytes)
        return;
    b->phase = !b->phase;
    b->pending = b->expected;
    *ended = true;
}

const char *emu_mbarrier_expect(struct emu_mbarrier *b, uint32_t bytes)
{
    if (bytes >= BYTES_ZERO || b->bytes + (int32_t)bytes >= BYTES_ZERO)
        return "expects more bytes than the 1048575 it can count";
    b->bytes += (int32_t)bytes;
    return NULL;
}

const char *emu_mbarrier_arrive(struct emu_mbarrier *b, uint32_t count, bool drop, bool *ended)
{
    if (count > b->pending)
        return "gets more arrivals than it expects in a phase";
    b->pending -= count;
    if (drop)
        b->expected -= count < b->expected ? count : b->expected;
    end_phase(b, ended);
    return NULL;
}

const char *emu_mbarrier_complete(struct emu_mbarrier *b, uint32_t bytes, bool *ended)
{
    if (bytes >= BYTES_ZERO || b->bytes - (int32_t)bytes <= -BYTES_ZERO)
        return "gets more bytes than the 1048575 it can count";
    b->bytes -= (int32_t)bytes;
    end_phase(b, ended);
    return NULL;
}
