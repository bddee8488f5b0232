/* warm_code.c - code that the L2 still has when a launch begins. */
#include "sm/warm_code.h"

strata_status warm_code_find(const struct hierarchy *m, struct strata_memory_state *s,
                             const struct strata_launch *launch, struct fetch_gpu *fetch,
                             struct memory_code *code, struct strata_error *err)
{
    strata_status status = memory_state_code(s, launch, code, err);
    if (status != STRATA_OK)
        return status;
    uint32_t n = code->is_new ? FETCH_MAX_LINES : code->n_lines;
    for (uint32_t line = 0; line < n; line++)
        if (code->is_new || hierarchy_holds_code(m, code->base, line))
            fetch_hold(fetch, line);
    return STRATA_OK;
}
