/* cfg.h - control flow of a function: where diverged lanes meet, and which registers live where. */
#ifndef STRATA_PTX_CFG_H
#define STRATA_PTX_CFG_H

#include "ptx/ast.h"

struct ptx_cfg {
    uint32_t n_blocks;
    uint32_t *first;             /* by block: first op; first[n_blocks] = number of ops */
    uint32_t *block_of;          /* by op */
    uint32_t *succ_first, *succ; /* successors; n_blocks is the exit */
    uint32_t *join;              /* by block: immediate post-dominator, n_blocks = the exit */
};

/* False if memory is short. */
bool ptx_cfg_build(const struct ptx_function *f, struct ptx_cfg *out);
void ptx_cfg_release(struct ptx_cfg *cfg);

/* Registers an op reads and writes; call back for each. */
typedef void ptx_reg_visitor(void *user, uint32_t reg);
void ptx_op_visit(const struct ptx_op *op, ptx_reg_visitor *reads, ptx_reg_visitor *writes,
                  void *user);
/* Number of leading operands that are destinations. */
unsigned ptx_op_destinations(const struct ptx_op *op);

/* Where registers live. */
struct ptx_liveness {
    uint32_t most;          /* 32-bit registers alive at once at most */
    uint32_t *first, *last; /* by register: the ops between which it ever lives */
    uint32_t *at_begin; /* by block: 32-bit registers of machine code alive where a loop begins */
};
/* same: by register the one that holds its value, where machine code has none for it. False if the
 * function is too large or memory is short. Release it in any case. */
bool ptx_liveness_find(const struct ptx_function *f, const struct ptx_cfg *cfg,
                       const uint32_t *same, struct ptx_liveness *out);
void ptx_liveness_release(struct ptx_liveness *l);

#endif
