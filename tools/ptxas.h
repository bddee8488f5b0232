/* ptxas.h - the user's own compiler of PTX. */
#ifndef STRATA_TOOLS_PTXAS_H
#define STRATA_TOOLS_PTXAS_H

#include <limits.h>
#include <stdbool.h>

/* In PATH, else in CUDA_HOME, or where CUDA installs itself if that is not set. False: it is
 * nowhere, which is said on standard error unless `quiet`. */
bool find_ptxas(char path[PATH_MAX], bool quiet);

#endif
