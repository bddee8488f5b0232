/* capture.h - the nodes that the next captured operation of a stream depends on. */
#ifndef STRATA_CUDA_CAPTURE_H
#define STRATA_CUDA_CAPTURE_H

#include "cuda/driver.h"

/* Adds nodes that are not there yet; false: no memory. */
bool tail_add(CUgraphNode **tail, size_t *n, size_t *cap, const CUgraphNode *more, size_t count);

#endif
