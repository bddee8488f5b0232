/* models.c - the table of models: parsing, help and `strata predict --model` all walk it.
 *
 * A model lives in its own folder and is added here with one line: an extern
 * declaration through that folder's header and a row in rising order of cost. */
#include <string.h>

#include <strata/result.h>

#include "flow/flow_engine.h"
#include "interval/interval_report.h"
#include "learn/model_learned.h"
#include "predict/model_coalesce.h"
#include "reuse/model_reuse.h"
#include "sim/sim_engine.h"

static const struct strata_model *const models[] = {
    &strata_model_coalesce,
    &strata_model_reuse,
    &strata_model_interval,
    &strata_model_learned,
    &strata_model_flow,
    &strata_model_sim,
    NULL,
};

const struct strata_model *const *strata_model_table(size_t *n)
{
    *n = sizeof models / sizeof models[0] - 1;
    return models;
}

const struct strata_model *strata_model_find(const char *name)
{
    for (const struct strata_model *const *m = models; *m; m++)
        if (!strcmp((*m)->name, name))
            return *m;
    return NULL;
}

const struct strata_profiled_model *strata_model_profiled(const struct strata_model *model)
{
    return model == &strata_model_interval ? &strata_profiled_interval : NULL;
}
