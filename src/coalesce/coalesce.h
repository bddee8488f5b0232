/* coalesce.h - what the files of src/coalesce share. */
#ifndef STRATA_COALESCE_INTERNAL_H
#define STRATA_COALESCE_INTERNAL_H

#include <string.h>
#include <strata/coalesce.h>

#include "base/bits.h"

/* The lanes of one access, however the trace gave their addresses. */
struct lanes {
    uint32_t mask;
    uint32_t width;
    bool affine;
    unsigned first; /* affine: lane of `base` */
    uint64_t base;
    int64_t stride;
    const uint64_t *addr; /* otherwise: by lane */
};

static inline uint64_t lane_address(const struct lanes *a, unsigned lane)
{
    return a->affine ? a->base + (uint64_t)(((int64_t)lane - (int64_t)a->first) * a->stride)
                     : a->addr[lane];
}

/* Sectors of the part of [from, to] that lies in `line` (numbers of lines, inclusive bounds). */
static inline uint32_t sector_bits(const struct strata_coalescer *c, uint64_t line, uint64_t from,
                                   uint64_t to)
{
    uint64_t line_mask = ((uint64_t)1 << c->line_shift) - 1;
    unsigned low =
        from >> c->line_shift == line ? (unsigned)((from & line_mask) >> c->sector_shift) : 0;
    unsigned high =
        (unsigned)((to >> c->line_shift == line ? to & line_mask : line_mask) >> c->sector_shift);
    return ((2u << high) - 1) & ~((1u << low) - 1);
}

/* Runs of lanes, each `step` bytes behind the one before, of a whole warp: a bit for the last lane
 * of each. Blocks narrower than a warp have a few rows of them. */
static inline uint32_t run_ends(const uint64_t addr[STRATA_WARP_SIZE], uint32_t step)
{
    typedef uint64_t pair __attribute__((vector_size(16), aligned(8)));
    pair ends = {0, 0}, bit = {1, 2}, steps = {step, step};
    for (unsigned i = 0; i < STRATA_WARP_SIZE - 2; i += 2, bit <<= 2) {
        pair here, next;
        memcpy(&here, &addr[i], sizeof here);
        memcpy(&next, &addr[i + 1], sizeof next);
        ends |= bit & (pair)(next - here != steps);
    }
    uint32_t last = addr[STRATA_WARP_SIZE - 1] - addr[STRATA_WARP_SIZE - 2] != step;
    return (uint32_t)(ends[0] | ends[1]) | last << (STRATA_WARP_SIZE - 2) |
           1u << (STRATA_WARP_SIZE - 1);
}
enum { FEW_RUNS = 4 };

/* Requests of the lanes in `mask` (a subset of a->mask) among themselves, appended at out[n]; the
 * new n. At most 2 per lane. */
unsigned coalesce_group(const struct strata_coalescer *c, const struct lanes *a, uint32_t mask,
                        struct strata_request *out, unsigned n);

unsigned coalesce_sector_rule(const struct strata_coalescer *c, const struct lanes *a,
                              struct strata_request *out);
unsigned coalesce_fermi_rule(const struct strata_coalescer *c, const struct lanes *a,
                             struct strata_request *out);
unsigned coalesce_octet_rule(const struct strata_coalescer *c, const struct lanes *a,
                             struct strata_request *out);
unsigned coalesce_local(const struct strata_coalescer *c, const struct lanes *a,
                        uint64_t local_base, struct strata_request *out);
unsigned coalesce_texture(const struct strata_coalescer *c, const struct strata_launch_texture *t,
                          const struct strata_winst *w, struct strata_request *out);

#endif
