/* stdin_trace.h - a trace that comes through a pipe. */
#ifndef STRATA_TOOLS_STDIN_TRACE_H
#define STRATA_TOOLS_STDIN_TRACE_H

#include <strata/status.h>

/* Copies standard input into a temporary file, because traces are read from more than one place; it
 * is removed when the process ends. *path is valid until then. */
strata_status stdin_trace(const char **path, struct strata_error *err);

#endif
