/* residents.h - the blocks an SM holds, their warps, and the memory accesses each makes next.
 *
 * Blocks go to cores as the dispatcher deals them, first done, first served
 * (paper 000, section 4.1); memory is bounded by the resident blocks. Threads are
 * put together to warps as recorded, or anew: other warp sizes, a strided or a
 * custom assignment (section 4.6). Warps formed anew go in lock-step by the
 * ordinal of the access in each thread, as the paper's unordered lists do. */
#ifndef STRATA_REUSE_RESIDENTS_H
#define STRATA_REUSE_RESIDENTS_H

#include <strata/place.h>
#include <strata/trace.h>

struct residents_options {
    uint32_t warp_size;     /* 0 or 32: as recorded, unless assignment says otherwise */
    uint32_t assignment;    /* enum strata_warp_assignment */
    const uint32_t *custom; /* for STRATA_WARPS_CUSTOM: a position per thread of a block */
    uint32_t n_custom;
    bool by_ordinal;      /* lanes are matched by ordinal even in recorded warps */
    uint32_t cores;       /* model only the first so many, 0 = all */
    uint64_t max_threads; /* leave out blocks beyond so many threads, 0 = none */
    bool round_robin;     /* block b starts on core b mod cores, whatever the dispatcher does */
    bool one_core;        /* all blocks on core 0 (the released code of paper 000) */
    bool whole_sets;      /* a set of blocks ends before the next begins (the released code) */
    bool loads_only;
};

struct thread_access {
    uint64_t address;
    const struct strata_inst *inst;
};
struct thread_list {
    struct thread_access *access;
    size_t n, cap, at;
};

struct resident_warp {
    struct strata_cursor cursor;
    uint32_t block; /* place */
    bool live;
    uint64_t local_base;
    struct thread_list *lane; /* formed anew: one per lane, borrowed from the block */
    uint32_t n_lanes;
    uint64_t addr[STRATA_WARP_SIZE];
};

struct resident_block {
    struct strata_block *data;
    uint64_t index;
    uint32_t core, live_warps, first_warp;
    struct thread_list *thread; /* in order of position; NULL: as recorded */
};

struct residents {
    const struct strata_gpu *gpu;
    const struct strata_launch *launch;
    struct strata_reader *reader;
    struct residents_options opt;
    struct strata_occupancy occupancy;
    struct strata_dispatcher *dispatcher;
    uint32_t n_cores;         /* that may get blocks */
    uint32_t places;          /* blocks a core holds */
    uint32_t warps_per_block; /* slots */
    uint32_t warp_size;
    bool anew;
    struct resident_block *block;
    struct resident_warp *warp;
    uint32_t *resident;    /* blocks on each core */
    uint64_t blocks_begun; /* taken from the trace, also those left out */
    bool over;
    struct strata_block *waiting; /* read, but for a core without a free place */
    uint32_t waiting_core;
    uint32_t n_threads; /* of a block */
};

strata_status residents_init(struct residents *r, const struct strata_gpu *gpu,
                             struct strata_reader *reader, const struct residents_options *opt,
                             struct strata_error *err);
void residents_release(struct residents *r);

/* Starts every block that has a place now. `begin` is called for each new warp, in order. */
typedef void (*residents_begin)(void *context, uint32_t core, uint32_t warp);
strata_status residents_fill(struct residents *r, residents_begin begin, void *context,
                             struct strata_error *err);
/* The warp's next access to global, local or texture memory; false at its end. */
bool residents_next(struct residents *r, uint32_t warp, struct strata_winst *out);
/* A warp is over; true if its block is, too: then call residents_fill. */
bool residents_end(struct residents *r, uint32_t warp);
static inline uint32_t residents_core(const struct residents *r, uint32_t warp)
{
    return warp / (r->places * r->warps_per_block);
}

#endif
