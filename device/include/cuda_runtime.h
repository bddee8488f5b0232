/* cuda_runtime.h - stands in for NVIDIA's header of this name when clang compiles a CUDA program
 * without the toolkit (see scripts/strata-clang). */
#ifndef STRATA_CUDA_RUNTIME_H
#define STRATA_CUDA_RUNTIME_H

#include <strata_cuda/types.h>
#ifndef __CUDA__ /* an ordinary C++ file of a CUDA program: the host's part only */
#include <strata_cuda/runtime_api.h>
#else
/* Device versions of the functions in <cmath> must be declared before that header is read. */
#include <__clang_cuda_math_forward_declares.h>
#include <limits.h>
#include <math.h>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <strata_cuda/runtime_api.h>
#include <strata_cuda/device.h>
#if __clang_major__ < 15
/* The standard headers spell the attribute the same way, so they come first. */
#include <memory>
#define __noinline__ __attribute__((noinline))
#endif
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#endif

#endif
