/* rule_local.c - local memory: thread-private offsets in a layout that interleaves the lanes.
 *
 * Word i (4 bytes) of the 32 lanes of a warp lies side by side, so that lanes which use the same
 * offset touch one line. Wider accesses are made word by word: LDL.64 with one offset for all lanes
 * is two requests of four sectors. */
#include "coalesce/coalesce.h"

/* A generic load or store that the reader resolved to local space carries a window address. */
static uint64_t local_offset(const struct strata_coalescer *c, uint64_t address)
{
    uint64_t size = (uint64_t)1 << 24;
    return c->local_window && address >= c->local_window && address - c->local_window < size
               ? address - c->local_window
               : address;
}

/* Where a word of the warp's threads begins. A driver gives every warp of the GPU as much as the
 * largest stack so far; of a thread that has more than that (traces do not tell how much) the rest
 * lies apart, so that it meets no other warp's. */
static uint64_t word_begins(const struct strata_coalescer *c, uint64_t local_base, uint64_t word)
{
    uint64_t at = word * 4 * STRATA_WARP_SIZE, apart = 1 + (UINT64_C(1) << 9);
    return at < c->local_warp ? local_base + at : local_base * apart + at;
}

unsigned coalesce_local(const struct strata_coalescer *c, const struct lanes *a,
                        uint64_t local_base, struct strata_request *out)
{
    uint64_t word_address[STRATA_WARP_SIZE] = {0};
    struct lanes word = {
        .mask = a->mask, .width = a->width < 4 ? a->width : 4, .addr = word_address};
    unsigned n = 0;
    for (unsigned part = 0; part < (a->width + 3) / 4; part++) {
        for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
            unsigned lane = lowest_bit32(rest);
            uint64_t offset = local_offset(c, lane_address(a, lane)) + part * 4;
            word_address[lane] = word_begins(c, local_base, offset / 4) + lane * 4 + offset % 4;
        }
        n = coalesce_group(c, &word, word.mask, out, n);
    }
    return n;
}
