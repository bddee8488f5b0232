/* strata/compare.h - two predictions launch by launch: what changed, and what explains the time.
 *
 * Launches are paired by bare kernel name, grid and block, in order; where no launch of the same
 * shape is left, by kernel name alone. What has no partner is told, never guessed. */
#ifndef STRATA_COMPARE_H
#define STRATA_COMPARE_H

#include <stddef.h>
#include <strata/prediction.h>
#include <strata/status.h>

struct strata_change {
    const char *metric; /* borrowed from the predictions */
    double before, after;
    double ratio;    /* after / before; NaN where before is 0 */
    double explains; /* orders them: how much of the change of the time it may stand for */
};

struct strata_launch_change {
    const struct strata_result *before, *after; /* NULL: only on one side */
    double time_before_ns, time_after_ns;       /* NaN: unknown */
    double change_pct;                          /* of the time, or of the cycles */
    struct strata_change *change; /* metrics that differ, those that weigh most on the time first */
    size_t n_changes, cap_changes;
};

struct strata_comparison {
    struct strata_launch_change *launch;
    size_t n_launches, cap_launches;
    size_t n_paired;
    double total_before_ns, total_after_ns; /* of the pairs */
};

struct strata_compare_options {
    const char *launch_before,
        *launch_after; /* NULL: all; else part of "program/trace" or kernel */
};

/* All results of `before` against all of `after`; both must outlive *out. */
strata_status strata_compare(const struct strata_predictions *before,
                             const struct strata_predictions *after,
                             const struct strata_compare_options *opt,
                             struct strata_comparison *out, struct strata_error *err);
void strata_comparison_release(struct strata_comparison *c);

/* Text, CSV or JSON (schema strata.compare/1); at most `top` metrics a launch, 0: all. *text is
 * freed by the caller. */
strata_status strata_comparison_print(const struct strata_comparison *c, size_t top,
                                      enum strata_format format, char **text, size_t *length,
                                      struct strata_error *err);

/* Launches slower by more than `limit_pct`, as a table in Markdown; *n_slower of them. */
strata_status strata_comparison_markdown(const struct strata_comparison *c, double limit_pct,
                                         size_t *n_slower, char **text, size_t *length,
                                         struct strata_error *err);

#endif
