/* whole_loops.h - loops that ptxas unrolls to the last round. */
#ifndef STRATA_PTX_WHOLE_LOOPS_H
#define STRATA_PTX_WHOLE_LOOPS_H

#include "ptx/ast.h"

/* Writes such loops out, round by round, and puts the numbers in that are known then. What runs
 * computes the same. False if memory is short. */
bool ptx_whole_loops_unroll(struct ptx_pool *pool, const struct ptx_names *names,
                            struct ptx_function *f);

#endif
