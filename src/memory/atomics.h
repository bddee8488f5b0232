/* atomics.h - what atomics of a warp send to the L2. */
#ifndef STRATA_MEMORY_ATOMICS_H
#define STRATA_MEMORY_ATOMICS_H

#include <strata/coalesce.h>

#include "base/bits.h"

/* Lanes that meet in one word go one after another, lanes in other words of a sector together
 * (device/probe, atomics): packets of a sector = the most lanes on one word. `addr` is by lane. */
static inline uint32_t atomic_packets(const uint64_t *addr, const struct strata_request *r,
                                      uint32_t sector_shift)
{
    uint32_t packets = 0;
    for (uint32_t s = r->sectors; s; s &= s - 1) {
        uint64_t sector = (r->line >> sector_shift) + lowest_bit32(s);
        uint32_t most = 1, count[16] = {0};
        for (uint32_t l = r->lanes; l; l &= l - 1) {
            uint64_t a = addr[lowest_bit32(l)];
            if (a >> sector_shift == sector && ++count[a >> 2 & 15] > most)
                most = count[a >> 2 & 15];
        }
        packets += most;
    }
    return packets;
}

#endif
