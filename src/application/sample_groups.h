/* sample_groups.h - launches that are alike. */
#ifndef STRATA_APPLICATION_SAMPLE_GROUPS_H
#define STRATA_APPLICATION_SAMPLE_GROUPS_H

#include <strata/sample.h>

/* Launches of one kernel whose work, and whose sectors an access, differ by less than this are
 * alike. */
#define SAMPLE_ALIKE 0.03

/* Fills s->group, s->n_groups, s->kind, s->family, s->usable and s->instructions. */
strata_status sample_find_groups(struct strata_sample *s, struct strata_trace *trace,
                                 struct strata_error *err);
#endif
