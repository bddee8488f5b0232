/* pipe_choice.h - which of two pipes an assembler gives an integer instruction that both have. */
#ifndef STRATA_SM_PIPE_CHOICE_H
#define STRATA_SM_PIPE_CHOICE_H

#include "sm/stall_counts.h"

/* Sums and shifts of 32 bits among n instructions in their order: those behind one of the pipe for
 * integers go to that for products. */
void sm_pipes_choose(const struct strata_gpu *gpu, const struct sm_placed *placed, uint32_t n);

#endif
