/* unrolled.h - loops that ptxas unrolls. */
#ifndef STRATA_PTX_UNROLLED_H
#define STRATA_PTX_UNROLLED_H

#include "ptx/machine_form.h"

struct ptx_loop {
    const struct ptx_function *f;
    uint32_t first, last; /* ops; the last is the branch to the first */
};

/* The loop that op i closes, if it does. */
bool ptx_loop_closed_by(const struct ptx_function *f, uint32_t i, struct ptx_loop *out);
/* The innermost loop around op i, if it has no other in it. */
bool ptx_innermost_loop_around(const struct ptx_function *f, uint32_t i, struct ptx_loop *out);
/* The op of the loop that writes a register last, or NULL. */
const struct ptx_op *ptx_loop_writer(const struct ptx_loop *l, uint32_t reg);
/* Whether each round adds a constant to an operand. */
bool ptx_loop_steps(const struct ptx_loop *l, const struct ptx_operand *o);
/* Whether the branch at its end asks for such an operand. */
bool ptx_loop_is_counted(const struct ptx_loop *l);
/* Whether an op of the loop leads out of it or calls. */
bool ptx_loop_leaves(const struct ptx_loop *l, const struct ptx_op *op);

/* Whether a loop of straight code loads and counts by a constant: ptxas makes four rounds of it
 * one, and lets their loads have registers until a thread has 32. */
bool ptx_has_unrolled_loop(const struct ptx_function *f, const struct ptx_cfg *cfg);

/* The rounds of the loop that op i closes which ptxas makes one, STRATA_ALL_ROUNDS at most; 0: it
 * closes none. */
unsigned ptx_unrolled_rounds(const struct ptx_function *f, const struct ptx_forms *forms,
                             uint32_t i);

/* Finds where loops of which four rounds are one are entered: machine code asks there and behind
 * them how many rounds are left. */
void ptx_unrolled_enter(const struct ptx_function *f, struct ptx_forms *out);
/* Times that it asks. */
#define PTX_ASKED_FOR_ROUNDS 3

#endif
