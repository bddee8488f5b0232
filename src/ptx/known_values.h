/* known_values.h - numbers that the code itself tells. */
#ifndef STRATA_PTX_KNOWN_VALUES_H
#define STRATA_PTX_KNOWN_VALUES_H

#include "ptx/ast.h"

/* What an op of integers computes of numbers alone; false if that is not known here. */
bool ptx_known_result(const struct ptx_op *op, const uint64_t value[], uint64_t *out);

/* Puts numbers in the place of registers that hold them, as the assembler does: what is computed of
 * numbers alone becomes a move of the result, which machine code has no instruction for, and a load
 * of constant memory names its place. What runs computes the same. False if memory is short. */
bool ptx_known_values_place(struct ptx_pool *pool, struct ptx_function *f);

#endif
