/* visit_trace.h - a sequence of lines as a kernel: one block whose warps visit them in turn. */
#ifndef STRATA_LEARN_VISIT_TRACE_H
#define STRATA_LEARN_VISIT_TRACE_H

#include <stddef.h>
#include <stdint.h>
#include <strata/status.h>

struct learn_visit {
    uint32_t warps;           /* 1 to 32: access i is made by warp i mod warps */
    uint32_t loads_under_way; /* of a warp at once: it has so many registers to load into */
};
/* Writes a native trace; `name` is that of the program. */
strata_status learn_visit_write(const char *name, const uint64_t *line, size_t n,
                                const struct learn_visit *visit, const char *path,
                                struct strata_error *err);

#endif
