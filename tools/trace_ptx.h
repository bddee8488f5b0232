/* trace_ptx.h - launches a kernel of a PTX file without a host program. */
#ifndef STRATA_TOOLS_TRACE_PTX_H
#define STRATA_TOOLS_TRACE_PTX_H

#include "options.h"
#include "trace_run.h"

struct trace_launch {
    const char *ptx, *kernel; /* kernel NULL: the only one */
    const char *grid, *block; /* "X", "X,Y" or "X,Y,Z" */
    uint64_t shared_bytes, seed;
    struct option_list args; /* see the help of `strata trace` */
};

strata_status trace_ptx(const struct trace_launch *launch, const struct trace_request *request,
                        struct strata_error *err);

#endif
