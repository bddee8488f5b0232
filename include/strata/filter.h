/* strata/filter.h - which launches a command looks at, in the manner of Nsight Compute.
 *
 * --kernel-name NAME takes kernels of that name, --kernel-name regex:EXPRESSION those whose name
 * contains a match (POSIX extended). A name is compared with the kernel's function name without
 * namespaces, template arguments and parameters ("gemm" for _Z4gemmIfEvPT_i), and with the mangled
 * name. --launch-skip and --launch-count count launches that passed the name filter. */
#ifndef STRATA_FILTER_H
#define STRATA_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/status.h>
#include <strata/trace.h>

struct strata_filter; /* opaque; not thread-safe */

/* kernel_name NULL: any; launch_count 0: no limit. STRATA_EUSAGE: the expression is wrong. */
strata_status strata_filter_create(const char *kernel_name, uint64_t launch_skip,
                                   uint64_t launch_count, struct strata_filter **out,
                                   struct strata_error *err);
void strata_filter_destroy(struct strata_filter *f); /* NULL is allowed */
/* Call once per launch, in order; true: take it. */
bool strata_filter_take(struct strata_filter *f, const char *kernel);
/* True once launch_count launches were taken. */
bool strata_filter_exhausted(const struct strata_filter *f);
/* strata_filter_take in the shape of strata_launch_choice: `filter` is a struct strata_filter.
 * Nsight Compute counts the launches of one run of a program, and a trace is such a run: launch 0
 * begins a new trace, and counting begins anew. */
bool strata_filter_choose(void *filter, const struct strata_launch *launch, size_t index);
/* STRATA_EUSAGE, with a sentence about `path`, if the filter was asked and took nothing. */
strata_status strata_filter_check(const struct strata_filter *f, const char *path,
                                  struct strata_error *err);

#endif
