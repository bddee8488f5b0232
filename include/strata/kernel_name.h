/* strata/kernel_name.h - names of kernels for people, from mangled or written-out C++ names.
 * Thread rule: all may be called from anywhere. */
#ifndef STRATA_KERNEL_NAME_H
#define STRATA_KERNEL_NAME_H

#include <stddef.h>
#include <stdint.h>

/* The bare name: "_Z4gemmPfi", "gemm(float *, int)" and "void ns::gemm<8>(float *)" all give
 * "gemm". Writes at most `size` bytes, cut if need be. */
void strata_kernel_base_name(const char *name, char *out, size_t size);

/* The name as its source writes it, without result and parameters: "_ZN2ns4gemmILi8EfEEvPT0_" gives
 * "ns::gemm<8, float>". Template arguments that this cannot read (lambdas, expressions) become
 * "<...>"; of names that are written out result and parameters go too. Cut to `size` bytes, which
 * ends it with "...". */
void strata_kernel_display_name(const char *name, char *out, size_t size);

/* The one name that a launch has wherever people read it: "program/trace  kernel", the kernel as
 * above; without a trace (counters of a profiler) "id:kernel". */
enum { STRATA_LAUNCH_NAME_SIZE = 512 };
void strata_launch_name(const char *program, const char *trace, uint64_t id, const char *kernel,
                        char out[STRATA_LAUNCH_NAME_SIZE]);

#endif
