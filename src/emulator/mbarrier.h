/* mbarrier.h - barriers in shared memory that count threads and bytes (mbarrier).
 *
 * The 64 bits are opaque to programs; here they hold the arrivals still missing, those expected in
 * a phase, the bytes still under way, and the parity of the phase. Zero is no barrier. */
#ifndef STRATA_EMULATOR_MBARRIER_H
#define STRATA_EMULATOR_MBARRIER_H

#include <stdbool.h>
#include <stdint.h>

#define EMU_MBARRIER_MAX_COUNT ((1u << 20) - 1)

struct emu_mbarrier {
    uint32_t pending, expected; /* arrivals */
    int32_t bytes;              /* that copies still have to bring */
    bool phase;                 /* its parity */
};

/* False: there is no barrier in these bits. */
bool emu_mbarrier_unpack(uint64_t bits, struct emu_mbarrier *out);
uint64_t emu_mbarrier_pack(const struct emu_mbarrier *b);

/* What an operation does to a barrier; each returns NULL or what is wrong, as the rest of a
 * sentence. A phase that is complete ends at once: *ended is set. */
const char *emu_mbarrier_init(uint32_t count, struct emu_mbarrier *out);
const char *emu_mbarrier_expect(struct emu_mbarrier *b, uint32_t bytes);
const char *emu_mbarrier_arrive(struct emu_mbarrier *b, uint32_t count, bool drop, bool *ended);
const char *emu_mbarrier_complete(struct emu_mbarrier *b, uint32_t bytes, bool *ended);

#endif
