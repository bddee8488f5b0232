/* reader_warnings.c - see reader_warnings.h. */
#include "predict/reader_warnings.h"

static bool is_bulk(const struct strata_inst *inst)
{
    return inst->opclass == STRATA_OP_BULK || inst->opclass == STRATA_OP_MBARRIER ||
           inst->opclass == STRATA_OP_WGMMA;
}

static void warn_of_bulk(const struct strata_code *code, const struct strata_model *model,
                         struct strata_result *result)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < strata_code_count(code); i++)
        n += is_bulk(strata_code_get(code, i));
    if (n)
        strata_result_warn(result,
                           "%u instructions of this launch are bulk copies, barriers in shared "
                           "memory or warpgroup products, which the model %s does not follow: "
                           "their traffic and waits are missing; use the model flow.",
                           n, model->name);
}

void reader_warnings(const struct strata_reader *reader, const struct strata_model *model,
                     struct strata_result *result)
{
    for (size_t i = 0; i < strata_reader_warning_count(reader); i++)
        strata_result_warn(result, "%s", strata_reader_warning(reader, i));
    if (!model->follows_bulk)
        warn_of_bulk(strata_reader_code(reader), model, result);
}
