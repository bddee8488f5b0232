/* plain_branches.h - branches as the assembler lays them out. */
#ifndef STRATA_PTX_PLAIN_BRANCHES_H
#define STRATA_PTX_PLAIN_BRANCHES_H

#include "ptx/ast.h"

/* Makes one branch of a conditional one and one behind it that goes on for the other lanes: nvcc
 * writes `@p bra A; bra.uni B; A:` where machine code has `@!p bra B`, or predicates instead. False
 * if memory is short. */
bool ptx_branches_make_plain(struct ptx_function *f);

#endif
