/* unrolled.h - loops that ptxas unrolls. */
#ifndef STRATA_PTX_UNROLLED_H
#define STRATA_PTX_UNROLLED_H

#include "ptx/machine_form.h"

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
