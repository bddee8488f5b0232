/* record.h - from executed instructions to the blocks of a trace. */
#ifndef STRATA_PTX_RECORD_H
#define STRATA_PTX_RECORD_H

#include "ptx/exec.h"

/* A generic access may turn out to be global, shared or local: it has three static instructions in
 * this order. */
enum { PTX_RECORD_GLOBAL = 0, PTX_RECORD_SHARED, PTX_RECORD_LOCAL };

/* Turns the logs of a finished block into a trace block. */
strata_status ptx_record_finish(struct ptx_block *block, struct strata_builder *builder,
                                struct strata_block **out, struct strata_error *err);

#endif
