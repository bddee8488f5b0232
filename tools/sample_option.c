/* sample_option.c - the word behind --sample. */
#include "sample_option.h"

#include <stdlib.h>

strata_status sample_share(const char *word, double *share, struct strata_error *err)
{
    char *end;
    *share = 1;
    if (!word)
        return STRATA_OK;
    *share = strtod(word, &end);
    if (*end == '%')
        *share /= 100, end++;
    if (end != word && !*end && *share > 0 && *share <= 1)
        return STRATA_OK;
    return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                       "--sample is the share of the work to model, 1%% say, not \"%s\".", word);
}
