/* invariants.h - what a loop computes in every round, and alike in all of them. */
#ifndef STRATA_PTX_INVARIANTS_H
#define STRATA_PTX_INVARIANTS_H

#include "ptx/unrolled.h"

/* Moves it before the loop, if that has no other in it; says in `l` where the loop begins then.
 * False if memory is short. */
bool ptx_invariants_leave(struct ptx_function *f, const struct ptx_names *names,
                          struct ptx_loop *l);

/* The same of all loops. */
bool ptx_invariants_leave_all(struct ptx_function *f, const struct ptx_names *names);

#endif
