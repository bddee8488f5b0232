/* sample_option.c - the word behind --sample, and a sample that does not hold. */
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

strata_status sample_refine(struct strata_sample *s, struct strata_launch_set *set,
                            struct strata_prediction *p, bool *again, struct strata_error *err)
{
    *again = !strata_sample_holds(s, p, "gpu__time_duration.sum");
    strata_status status = *again ? strata_sample_refine(s, set->trace[0], err) : STRATA_OK;
    *again = *again && status == STRATA_OK;
    if (*again) {
        strata_sample_choose(s, set);
        strata_prediction_release(p);
    }
    return status;
}
