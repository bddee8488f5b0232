/* strata/stats.h - what a launch executes: instructions by class, accesses and bytes by space. */
#ifndef STRATA_STATS_H
#define STRATA_STATS_H

#include <stdint.h>
#include <strata/status.h>
#include <strata/trace.h>

/* Accesses of one space and memory operation. */
struct strata_access_stats {
    uint64_t warp_instructions; /* executed, also with an empty mask */
    uint64_t thread_accesses;   /* lanes with an address */
    uint64_t bytes;             /* what those lanes asked for */
};

struct strata_stats {
    uint64_t blocks, warps, warp_instructions, thread_instructions;
    uint64_t static_instructions;
    uint64_t static_with_control; /* of these, with the assembler's control codes */
    uint64_t by_class[STRATA_N_OPCLASS];
    struct strata_access_stats access[STRATA_N_SPACE][STRATA_N_MEMOP];
    uint64_t unknown_static; /* static instructions with an opcode nobody knows */
    uint64_t unknown_warp_instructions;
    const char *unknown_example; /* borrowed from the reader's code; NULL if there is none */
};

/* Reads all blocks that `reader` has left. */
strata_status strata_stats_collect(struct strata_reader *reader, struct strata_stats *out,
                                   struct strata_error *err);

/* Lower-case words: "fp32", "global", "load". */
const char *strata_opclass_name(unsigned opclass);
const char *strata_space_name(unsigned space);
const char *strata_memop_name(unsigned memop);

#endif
