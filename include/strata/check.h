/* strata/check.h - is a trace legal? Rules that every real execution obeys, checked on every
 * record.
 *
 * A finding of kind error means that the trace cannot have happened, or lost records; a note means
 * that something is unusual, but can be right. */
#ifndef STRATA_CHECK_H
#define STRATA_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/status.h>
#include <strata/trace.h>

struct strata_rule {
    const char *name;     /* "exit-at-end" */
    const char *sentence; /* "Every warp ends with an EXIT of its last lanes." */
    bool is_error;
};
/* All rules, in the order of strata_check_report.finding. */
const struct strata_rule *strata_check_rules(size_t *n);

#define STRATA_MAX_RULES 24

struct strata_finding {
    uint64_t count; /* how often the rule was broken; the rest tells the first time */
    bool has_block, has_warp, has_instruction; /* which of the following say anything */
    uint64_t block;                            /* linear index */
    uint32_t warp;
    uint64_t instruction; /* place in the warp, from 0 */
    char detail[160];     /* what was found there */
};

struct strata_check_report {
    struct strata_finding finding[STRATA_MAX_RULES]; /* by rule */
    uint64_t n_errors, n_notes;                      /* rules broken */
    uint64_t blocks, warp_instructions;
};

/* Reads all blocks that `reader` has left. STRATA_OK also if rules are broken. */
strata_status strata_check_launch(struct strata_reader *reader, struct strata_check_report *out,
                                  struct strata_error *err);

#endif
