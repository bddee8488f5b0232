/* driver_unsupported.c - every name the original library exports, as a weak function that names the
 * call and returns CUDA_ERROR_NOT_SUPPORTED, so that a program is told at once what is missing.
 * What the other files define takes its place. */
#include <stdbool.h>

int strata_cuda_refuse(const char *name, bool *told);

#define ROW(symbol, name, version, per_thread)                                                     \
    int symbol(void);                                                                              \
    __attribute__((weak)) int symbol(void)                                                         \
    {                                                                                              \
        static bool told;                                                                          \
        return strata_cuda_refuse(#symbol, &told);                                                 \
    }
#define STRATA_CUDA_EACH_SYMBOL_ONCE
#include "cuda/names.h"
