/* gpu_option.h - --gpu and --set, which most commands take. */
#ifndef STRATA_TOOLS_GPU_OPTION_H
#define STRATA_TOOLS_GPU_OPTION_H

#include <strata/gpu.h>

#include "options.h"

/* Where GPU files are looked for: the folders of STRATA_GPU_PATH (colon-separated) first, then the
 * source folder this tool was built from, then the installed data. */
strata_status add_gpu_paths(struct strata_error *err);

/* The GPU of that name with each "key=value" of `sets` (may be NULL) applied, checked as a whole.
 */
strata_status load_gpu(const char *name, const struct option_list *sets, struct strata_gpu *gpu,
                       struct strata_error *err);

#endif
