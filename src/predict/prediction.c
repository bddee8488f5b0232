/* prediction.c - the results of one model over many launches. */
#include <stdlib.h>
#include <string.h>

#include <strata/prediction.h>

#include "base/array.h"

#ifndef STRATA_VERSION
#define STRATA_VERSION "unknown"
#endif

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "for the predictions");
}

strata_status strata_prediction_init(struct strata_prediction *p, const char *gpu,
                                     const char *model, const char *variant, uint64_t seed,
                                     struct strata_error *err)
{
    memset(p, 0, sizeof *p);
    p->tool = strdup("strata " STRATA_VERSION);
    p->gpu = strdup(gpu);
    p->model = strdup(model);
    p->variant = variant ? strdup(variant) : NULL;
    p->seed = seed;
    if (p->tool && p->gpu && p->model && (p->variant || !variant))
        return STRATA_OK;
    strata_prediction_release(p);
    return no_memory(err);
}

strata_status strata_prediction_add_override(struct strata_prediction *p, const char *words,
                                             struct strata_error *err)
{
    char *copy = strdup(words);
    if (!copy || !ARRAY_RESERVE(p->override, p->n_overrides, p->cap_overrides, 1)) {
        free(copy);
        return no_memory(err);
    }
    p->override[p->n_overrides++] = copy;
    return STRATA_OK;
}

strata_status strata_prediction_add_result(struct strata_prediction *p,
                                           struct strata_result *result, struct strata_error *err)
{
    if (!ARRAY_RESERVE(p->result, p->n_results, p->cap_results, 1))
        return no_memory(err);
    p->result[p->n_results++] = *result;
    memset(result, 0, sizeof *result);
    return STRATA_OK;
}

void strata_prediction_release(struct strata_prediction *p)
{
    for (size_t i = 0; i < p->n_results; i++)
        strata_result_release(&p->result[i]);
    for (size_t i = 0; i < p->n_overrides; i++)
        free(p->override[i]);
    free(p->result);
    free(p->override);
    free(p->tool);
    free(p->gpu);
    free(p->model);
    free(p->variant);
    free(p->label);
    memset(p, 0, sizeof *p);
}

void strata_predictions_release(struct strata_predictions *set)
{
    for (size_t i = 0; i < set->n; i++)
        strata_prediction_release(&set->item[i]);
    free(set->item);
    memset(set, 0, sizeof *set);
}

strata_status strata_format_parse(const char *word, enum strata_format *out,
                                  struct strata_error *err)
{
    static const char *const names[] = {"text", "csv", "json"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(word, names[i])) {
            *out = (enum strata_format)i;
            return STRATA_OK;
        }
    return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                       "there is no format \"%s\"; use text, csv or json.", word);
}
