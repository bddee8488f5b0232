/* kernel_name.h - the bare name of a kernel, from a mangled or a written-out C++ name. */
#ifndef STRATA_BASE_KERNEL_NAME_H
#define STRATA_BASE_KERNEL_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* "_Z4gemmPfi", "gemm(float *, int)" and "void ns::gemm<8>(float *)" all give "gemm". Writes at
 * most `size` bytes, cut if need be. */
void strata_kernel_base_name(const char *name, char *out, size_t size);

#endif
