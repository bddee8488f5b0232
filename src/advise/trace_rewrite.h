/* trace_rewrite.h - the same launch as it would be with one fault mended: every warp's bytes side
 * by side, no bank conflicts, atomics kept in shared memory, or more and smaller blocks. What a
 * model says of it is an upper bound of what mending gains. */
#ifndef STRATA_ADVISE_TRACE_REWRITE_H
#define STRATA_ADVISE_TRACE_REWRITE_H

#include <strata/gpu.h>
#include <strata/sites.h>
#include <strata/trace.h>

enum rewrite_kind {
    REWRITE_COALESCE,         /* lanes of the chosen accesses read and write side by side */
    REWRITE_NO_CONFLICTS,     /* the same in shared memory: one word a bank */
    REWRITE_SHARED_ATOMICS,   /* chosen global atomics go to a copy in shared memory, merged at the
                                 end */
    REWRITE_NO_SHARED_MEMORY, /* blocks that need none, so that it limits nothing */
    REWRITE_SMALLER_BLOCKS,   /* the work of each block is cut into pieces, one block each */
};

/* Instructions are known by their address: indices differ between readers of text traces. */
struct rewrite_target {
    uint64_t pc;
    uint64_t first_address, end_address; /* what it touches; filled by rewrite_write */
    uint64_t footprint_sectors;
    uint64_t next_byte;
};

struct rewrite_plan {
    enum rewrite_kind kind;
    struct rewrite_target *target; /* sorted by pc; none for smaller blocks */
    size_t n_targets;
    uint64_t wanted_blocks; /* smaller blocks: about so many in all */
};

/* Sorts the targets. */
void rewrite_plan_init(struct rewrite_plan *plan);
/* The bytes that the targets touch, from first to last; ULLONG_MAX if they have not been looked at.
 */
uint64_t rewrite_span_bytes(const struct rewrite_plan *plan);

/* Writes the rewritten launch as a trace of its own under `path`. STRATA_EUNSUPPORTED where this
 * launch cannot be rewritten so. */
strata_status rewrite_write(struct rewrite_plan *plan, const struct strata_gpu *gpu,
                            const struct strata_reader *launch, const char *path,
                            struct strata_error *err);

#endif
