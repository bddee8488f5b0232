/* sample_option.h - the word behind --sample, and a sample that does not hold. */
#ifndef STRATA_TOOLS_SAMPLE_OPTION_H
#define STRATA_TOOLS_SAMPLE_OPTION_H

#include <stdbool.h>
#include <strata/predict.h>
#include <strata/sample.h>
#include <strata/status.h>

/* "1%" or "0.01": above 0, up to all. A NULL word is none, and *share 1. */
strata_status sample_share(const char *word, double *share, struct strata_error *err);

/* Where launches that the sample took for alike were not (*again), `set` has the launches of the
 * finest groups and *p is released: they are to be modelled, by the first process alone, since only
 * it knows. */
strata_status sample_refine(struct strata_sample *s, struct strata_launch_set *set,
                            struct strata_prediction *p, bool *again, struct strata_error *err);

#endif
