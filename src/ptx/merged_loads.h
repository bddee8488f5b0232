/* merged_loads.h - loads of neighbouring words of shared memory, which ptxas makes one of. */
#ifndef STRATA_PTX_MERGED_LOADS_H
#define STRATA_PTX_MERGED_LOADS_H

#include "ptx/machine_form.h"

/* Marks them in `out`: the first has the width of all, the others are folded. To be called while
 * out->same names every register itself. False if memory is short. */
bool ptx_loads_merge(const struct ptx_function *f, const struct ptx_cfg *cfg,
                     struct ptx_forms *out);

#endif
