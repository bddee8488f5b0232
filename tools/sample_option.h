/* sample_option.h - the word behind --sample. */
#ifndef STRATA_TOOLS_SAMPLE_OPTION_H
#define STRATA_TOOLS_SAMPLE_OPTION_H

#include <strata/status.h>

/* "1%" or "0.01": above 0, up to all. A NULL word is none, and *share 1. */
strata_status sample_share(const char *word, double *share, struct strata_error *err);

#endif
