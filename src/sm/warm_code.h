/* warm_code.h - code that the L2 still has when a launch begins. */
#ifndef STRATA_SM_WARM_CODE_H
#define STRATA_SM_WARM_CODE_H

#include "memory/hierarchy.h"
#include "memory/memory_state.h"
#include "sm/fetch.h"

/* Finds where a launch's code lies, and notes the lines that the L2 has: of a kernel that never ran
 * all, since its code has just been copied to the device. */
strata_status warm_code_find(const struct hierarchy *m, struct strata_memory_state *s,
                             const struct strata_launch *launch, struct fetch_gpu *fetch,
                             struct memory_code *code, struct strata_error *err);

#endif
