/* dissect_cuda.h - running the probe on this machine's GPU. */
#ifndef STRATA_TOOLS_DISSECT_CUDA_H
#define STRATA_TOOLS_DISSECT_CUDA_H

#include <strata/probe.h>

/* Runs `program` (NULL: strata-probe in PATH, else built from the source folder by nvcc) and loads
 * its raw data, which stay in `keep` (NULL: they are removed). Without a driver, a program or a
 * compiler the status is STRATA_EUNSUPPORTED and the sentence says what is missing. */
strata_status dissect_cuda(const char *program, const char *keep, struct strata_probe_set *out,
                           struct strata_error *err);

#endif
