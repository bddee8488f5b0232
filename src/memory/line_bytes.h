/* line_bytes.h - bytes of a line, a bit each: what a warp's lanes read or write of it.
 *
 * The L1 knows written data word by word (probes part and narrow, on an H200): a read whose words
 * were all written hits, however little of its sector is there; a read of any other fetches the
 * sector, also of a word whose bytes were written one store at a time.
 * Stores that wait, and sectors written in part at the L2, are told by the same bits. */
#ifndef STRATA_MEMORY_LINE_BYTES_H
#define STRATA_MEMORY_LINE_BYTES_H

#include <string.h>
#include <strata/coalesce.h>

#include "base/bits.h"
#include "cache/cache.h"

/* What crosses between an SM and the L2, and the unit of the profiler's counters. */
#define PACKET_SECTOR_BYTES 32u
static inline double packet_sectors(uint64_t n, uint32_t sector_bytes)
{
    return (double)n * sector_bytes / PACKET_SECTOR_BYTES;
}

/* Bytes [from, to) of the line. */
static inline void line_bytes_set(struct line_bytes *b, uint32_t from, uint32_t to)
{
    for (uint32_t k = from / 32; k < 4 && k * 32 < to; k++) {
        uint32_t low = from > k * 32 ? from - k * 32 : 0,
                 high = to - k * 32 < 32 ? to - k * 32 : 32;
        b->sector[k] |= (uint32_t)(((uint64_t)1 << high) - ((uint64_t)1 << low));
    }
}

static inline void line_bytes_add(struct line_bytes *b, const struct line_bytes *more)
{
    for (uint32_t k = 0; k < 4; k++)
        b->sector[k] |= more->sector[k];
}

/* Without the bytes of words (of 4 bytes) that are not all there. */
static inline struct line_bytes line_bytes_words(const struct line_bytes *b)
{
    struct line_bytes words;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t pairs = b->sector[k] & b->sector[k] >> 1;
        words.sector[k] = (pairs & pairs >> 2 & 0x11111111u) * 15;
    }
    return words;
}

/* The bits of sector k in word j, where sectors have 2^shift bytes. */
static inline uint32_t line_bytes_mask(uint32_t k, uint32_t shift, uint32_t j)
{
    if (shift >= 5)
        return j >> (shift - 5) == k ? UINT32_MAX : 0;
    return k << shift >> 5 == j ? ((1u << (1u << shift)) - 1) << ((k << shift) & 31) : 0;
}
/* True if all bytes of sector k are set. */
static inline bool line_bytes_whole(const struct line_bytes *b, uint32_t k, uint32_t shift)
{
    if (shift == 5)
        return b->sector[k] == UINT32_MAX;
    uint32_t missing = 0;
    for (uint32_t j = 0; j < 4; j++)
        missing |= ~b->sector[j] & line_bytes_mask(k, shift, j);
    return !missing;
}
/* Sector k is as in `from`, or that and what it was. */
static inline void line_bytes_take(struct line_bytes *b, const struct line_bytes *from, uint32_t k,
                                   uint32_t shift, bool keep)
{
    for (uint32_t j = 0; j < 4; j++) {
        uint32_t mask = line_bytes_mask(k, shift, j);
        b->sector[j] &= keep ? UINT32_MAX : ~mask;
        b->sector[j] |= from->sector[j] & mask;
    }
}
/* Sectors among `sectors` all of whose bytes are set. */
static inline uint32_t line_bytes_full(const struct line_bytes *b, uint32_t sectors, uint32_t shift)
{
    uint32_t full = 0;
    for (uint32_t s = sectors; s; s &= s - 1)
        full |= (uint32_t)line_bytes_whole(b, lowest_bit32(s), shift) << lowest_bit32(s);
    return full;
}
/* Sectors of 32 bytes with any byte set. */
static inline uint32_t line_bytes_touched(const struct line_bytes *b)
{
    uint32_t touched = 0;
    for (uint32_t k = 0; k < 4; k++)
        touched |= (uint32_t)(b->sector[k] != 0) << k;
    return touched;
}
/* Sectors with any byte set. */
static inline uint32_t line_bytes_sectors(const struct line_bytes *b, uint32_t shift)
{
    uint32_t sectors = 0;
    for (uint32_t k = 0; k << shift < LINE_BYTES_MOST; k++)
        for (uint32_t j = 0; j < 4; j++)
            sectors |= (uint32_t)((b->sector[j] & line_bytes_mask(k, shift, j)) != 0) << k;
    return sectors;
}
/* True if no byte of sector k is in `some` and not in `all`. */
static inline bool line_bytes_inside(const struct line_bytes *some, const struct line_bytes *all,
                                     uint32_t k, uint32_t shift)
{
    uint32_t outside = 0;
    for (uint32_t j = 0; j < 4; j++)
        outside |= some->sector[j] & ~all->sector[j] & line_bytes_mask(k, shift, j);
    return !outside;
}

/* Address of an active lane. */
static inline uint64_t line_bytes_address(const struct strata_winst *w, uint32_t lane)
{
    if (w->addr_kind != STRATA_ADDR_STRIDE)
        return w->addr[lane];
    return w->base + (uint64_t)(((int64_t)lane - (int64_t)lowest_bit32(w->mask)) * w->stride);
}
/* What the lanes of `request` touch of its line. Local memory interleaves the lanes' 4-byte words
 * (src/coalesce/rule_local.c), so a lane's place in the line does not depend on its address. */
void line_bytes_of(struct line_bytes *out, const struct strata_winst *w,
                   const struct strata_request *request, uint32_t line_bytes);

#endif
