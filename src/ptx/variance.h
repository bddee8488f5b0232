/* variance.h - which registers differ between the lanes of a warp, as the assembler sees it. */
#ifndef STRATA_PTX_VARIANCE_H
#define STRATA_PTX_VARIANCE_H

#include "ptx/cfg.h"

/* Sets varies[register]. `entry`: the kernel itself, whose parameters all lanes share. False if
 * memory is short. */
bool ptx_variance_find(const struct ptx_function *f, const struct ptx_cfg *cfg,
                       const struct ptx_names *names, bool entry, bool *varies);

#endif
