/* cuda.h - stands in for NVIDIA's header of this name: the driver's interface, and for C++ the
 * runtime's as well. */
#ifndef STRATA_CUDA_H
#define STRATA_CUDA_H

#define CUDAAPI
#define CUDA_CB
#include <strata_cuda/driver_api.h>
#ifdef __cplusplus
#include <cuda_runtime.h>
#endif

#endif
