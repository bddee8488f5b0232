/* long_constants.h - double-precision numbers of the code, which instructions have no room for. */
#ifndef STRATA_PTX_LONG_CONSTANTS_H
#define STRATA_PTX_LONG_CONSTANTS_H

#include "ptx/machine_form.h"

/* Finds out->moves. False: memory is short. */
bool ptx_long_constants_find(const struct ptx_function *f, const struct ptx_cfg *cfg,
                             struct ptx_forms *out);

#endif
