/* sample_groups.h - launches that are alike. */
#ifndef STRATA_APPLICATION_SAMPLE_GROUPS_H
#define STRATA_APPLICATION_SAMPLE_GROUPS_H

#include <strata/sample.h>

#include "application/launch_digest.h"

/* Fills s->group, s->n_groups, s->kind, s->usable and s->instructions. */
strata_status sample_find_groups(struct strata_sample *s, struct strata_trace *trace,
                                 const struct launch_profile *profile, struct strata_error *err);

#endif
