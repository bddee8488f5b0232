/* strata/coalesce.h - what the memory units make of one warp instruction.
 *
 * Global and local memory: the lanes' addresses become requests, one per cache
 * line, each with the sectors it needs. Shared memory: the lanes' words become
 * passes over the banks ("wavefronts").
 *
 * Everything here is a pure function of a small read-only configuration and one
 * warp instruction: no allocation, no state, safe from any number of threads.
 * An affine access takes time in proportion to its lines, any other one in
 * proportion to its lanes. */
#ifndef STRATA_COALESCE_H
#define STRATA_COALESCE_H

#include <stdbool.h>
#include <stdint.h>
#include <strata/gpu.h>
#include <strata/trace.h>

/* The most requests one warp instruction can make: 32 lanes of 16 bytes that each straddle two
 * lines, or 32 lanes of 32 bytes of local memory, which is laid out in 4-byte words. */
#define STRATA_MAX_REQUESTS 256

struct strata_request {
    uint64_t line;    /* address of the line's first byte */
    uint32_t sectors; /* bit i: sector i of the line; an unsectored cache has sector 0 only */
    uint32_t lanes;   /* bit l: lane l has a byte in the line */
};

/* What of a GPU and a launch decides about coalescing. Copied freely. */
struct strata_coalescer {
    uint32_t rule;         /* enum strata_coalesce_rule */
    uint32_t line_shift;   /* log2 of the line */
    uint32_t sector_shift; /* log2 of the sector; = line_shift under the Fermi rule */
    uint32_t banks;        /* of shared memory, a power of two */
    uint32_t bank_shift;   /* log2 of a bank's width */
    uint32_t
        bank_rows;     /* words one bank can deliver together: 2 on Kepler in 4-byte mode, else 1 */
    bool merge_phases; /* wide shared accesses of lane pairs share a pass (Volta and later) */
    uint64_t local_window;              /* generic address where local memory begins; 0 = unknown */
    uint64_t local_warp;                /* bytes of a warp's local memory that lie side by side */
    uint32_t filter_bytes;              /* of a texel that a filter takes in one pass; 0: all */
    const struct strata_launch *launch; /* whose textures are known; NULL: none are */
};

/* launch may be NULL: only the generic window of local memory and the textures are taken from it.
 * Where it has textures it must outlive the coalescer. */
void strata_coalescer_init(struct strata_coalescer *c, const struct strata_gpu *gpu,
                           const struct strata_launch *launch);

/* The requests of an access to global, local, const or texture space, in order of the first lane
 * that needs each; returns their number. 0 if no lane is active or there are no addresses.
 *
 * Sector rule (Volta and later, and Maxwell): every line appears once, with the sectors that the
 * lanes touch. Octet rule (Volta as paper 004 describes it): the same for each group of eight lanes
 * on its own, so a line can appear four times. Fermi rule: 8-byte accesses are coalesced by half
 * warp, 16-byte accesses by quarter warp, each group on its own; whole lines are fetched.
 *
 * local_base: where the 32 lanes' local memory of this warp begins, for accesses to local space
 * (their trace addresses are offsets private to a thread; 4-byte words of the 32 lanes are
 * interleaved). Ignored otherwise. A model that reuses the memory of finished warps, as hardware
 * does, gives the same base to the next warp in that slot. */
unsigned strata_coalesce(const struct strata_coalescer *c, const struct strata_winst *w,
                         uint64_t local_base, struct strata_request out[STRATA_MAX_REQUESTS]);

/* The texture that a warp instruction reads, by its first lane; NULL: none, or the trace does not
 * tell. Then its requests are those of the texels' bytes, and of their neighbours on the axes
 * where a filter mixes them. */
const struct strata_launch_texture *strata_coalescer_texture_of(const struct strata_coalescer *c,
                                                                const struct strata_winst *w);
static inline const struct strata_launch_texture *
strata_coalescer_texture(const struct strata_coalescer *c, const struct strata_winst *w)
{
    bool may = c->launch && w->inst->space == STRATA_SPACE_TEXTURE;
    return may ? strata_coalescer_texture_of(c, w) : NULL;
}

/* Sectors in all requests together. */
unsigned strata_count_sectors(const struct strata_request *request, unsigned n);

/* Bytes of local memory that `strata_coalesce` lays out for one warp if each thread has
 * `bytes_per_thread`. */
static inline uint64_t strata_local_bytes(uint64_t bytes_per_thread)
{
    return (bytes_per_thread + 3) / 4 * 4 * STRATA_WARP_SIZE;
}

/* A shared-memory access: `phases` passes are due to the width of the access alone, every pass more
 * is a bank conflict. wavefronts = phases + conflicts. */
struct strata_shared_cost {
    uint32_t wavefronts, phases, conflicts;
};
/* Zeroes if no lane is active. */
struct strata_shared_cost strata_shared_access(const struct strata_coalescer *c,
                                               const struct strata_winst *w);

#endif
