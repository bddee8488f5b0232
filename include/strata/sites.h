/* strata/sites.h - what each instruction of a launch costs: sectors, hits, conflicts, atomics, and
 * cycles that warps wait for it.
 *
 * One pass of the reuse model's caches over the launch, and one of the flow model for the waits.
 * Sectors beyond the ideal are those a warp moves although the bytes its lanes asked for would fit
 * into fewer; stores and atomics count as loads do. */
#ifndef STRATA_SITES_H
#define STRATA_SITES_H

#include <strata/gpu.h>
#include <strata/result.h>
#include <strata/status.h>
#include <strata/trace.h>

struct strata_site {
    const struct strata_inst *inst; /* of the reader's code table; of a merged site the dearest */
    uint32_t index;                 /* of that instruction */
    uint64_t executions, lanes;
    uint64_t sectors;       /* at the L1; shared memory: 0 */
    uint64_t ideal_sectors; /* that the bytes of the lanes fill */
    uint64_t load_sectors, l1_hits, l2_reads, l2_hits, dram_reads; /* loads only */
    uint64_t written_sectors; /* sent to the L2 by stores and atomics */
    uint64_t atomics;         /* lanes of atomics */
    uint64_t bank_conflicts;  /* shared memory only */
    uint64_t waited_cycles;   /* of warps, for its result, its barrier or its unit */
};

struct strata_sites {
    struct strata_site *site;
    size_t n, cap;
    bool out_of_memory;
    uint64_t warp_cycles; /* that warps were resident; 0: waits are not known */
};

/* Fills *out with the instructions that access memory, by index; release in any case. They stay
 * valid while `reader` is open. Linear in the warp instructions of the launch. */
strata_status strata_sites_collect(const struct strata_gpu *gpu, struct strata_reader *reader,
                                   uint64_t seed, struct strata_sites *out,
                                   struct strata_error *err);
/* Adds what warps wait for, by the flow model: `reader` is a second one of the same launch, `code`
 * the table of the first. Instructions that access no memory become sites if they are waited for
 * during a per cent of the time or more. */
strata_status strata_sites_add_waits(const struct strata_gpu *gpu, struct strata_reader *reader,
                                     const struct strata_code *code, uint64_t seed,
                                     struct strata_sites *s, struct strata_error *err);
void strata_sites_release(struct strata_sites *s);

/* Sites of one source line and one kind of access (space and operation) become one. */
void strata_sites_merge_lines(struct strata_sites *s);
/* Dearest first, then in the program's order; or those first that warps wait for longest. */
void strata_sites_sort(struct strata_sites *s);
void strata_sites_sort_by_waits(struct strata_sites *s);
bool strata_sites_have_lines(const struct strata_sites *s);

/* Sectors moved beyond those the lanes' bytes fill. */
uint64_t strata_site_beyond(const struct strata_site *x);
/* What the site causes, in sectors: those that leave for the L2, either way, those of DRAM, one for
 * each lane of an atomic, which the L2 works off one at a time, and four for each bank conflict, a
 * pass of the data stage that could have moved four. */
uint64_t strata_site_cost(const struct strata_site *x);
/* "global store", "shared load", "global atomic", "barrier", "arithmetic". */
const char *strata_site_kind(const struct strata_site *x, char *out, size_t size);

#endif
