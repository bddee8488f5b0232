/* formats.h - the table of trace formats (trace.c), ended by NULL. */
#ifndef STRATA_TRACE_FORMATS_H
#define STRATA_TRACE_FORMATS_H

#include "trace/trace_internal.h"

extern const struct strata_trace_format *const strata_trace_formats[];

#endif
