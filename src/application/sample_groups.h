/* sample_groups.h - launches that are alike. */
#ifndef STRATA_APPLICATION_SAMPLE_GROUPS_H
#define STRATA_APPLICATION_SAMPLE_GROUPS_H

#include <strata/sample.h>

#include "application/launch_digest.h"

/* Fills s->group, s->n_groups, s->kind, s->usable and s->instructions. Coarseness 0 tells launches
 * apart as finely as can be, 1 no longer by their arrays, each further step (SAMPLE_COARSEST at
 * most) takes launches for alike that differ by twice as much. */
enum {
    SAMPLE_COARSEST = 5,
    SAMPLE_EVIDENCE = 4 /* finer groups of a coarse one that are to be modelled */
};
strata_status sample_find_groups(struct strata_sample *s, struct strata_trace *trace,
                                 const struct launch_profile *profile, int coarseness,
                                 struct strata_error *err);
#endif
