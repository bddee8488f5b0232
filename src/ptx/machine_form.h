/* machine_form.h - what the assembler makes of PTX, so that a record of PTX has about the
 * instructions that machine code would have.
 *
 * An op is one machine instruction, or none (addresses that need no conversion, constants that are
 * operands, products that a later addition takes along), or several (divisions, 64-bit integers).
 * How many and of which class stands in a table that scripts/ptx-expansion measures; what is taken
 * along by what are the rules in machine_form.c, read off what ptxas 13.0 makes for sm_90. */
#ifndef STRATA_PTX_MACHINE_FORM_H
#define STRATA_PTX_MACHINE_FORM_H

#include "ptx/cfg.h"

struct ptx_form_part {
    uint8_t opclass, n;
};
/* Parts in any order, ended by n == 0. */
enum { PTX_FORM_PARTS = 8 };

/* A parameter that is loaded before an op. */
struct ptx_parameter_load {
    uint32_t reg, next; /* next: 1 + that of the same op, or 0 */
    uint8_t opclass;
};

struct ptx_forms {
    uint8_t *folded;                    /* by op: machine code has no instruction for it */
    const struct ptx_form_part **parts; /* by op; NULL: one instruction of its own class */
    uint32_t *guard; /* by op: predicate of the branch over it that was folded, or PTX_NO_REG */
    uint8_t *acting; /* by op: enum emu_acting, of atomics */
    uint8_t *width;  /* by op: bytes of a load that takes neighbours along, or 0 */
    uint8_t *moves;  /* by op: those that bring numbers which it has no room for */
    uint32_t *same;  /* by register: the one that holds its value, if that of a folded op */
    uint32_t *also;  /* by register: the other one that such an op read, or PTX_NO_REG */
    uint32_t
        *enters; /* by op: 1 + the branch of the unrolled loop that is entered behind it, or 0 */
    uint32_t *reciprocal_of;   /* by op: 1 + a division whose reciprocal is found before it, or 0 */
    uint32_t *next_reciprocal; /* by such a division: 1 + the next one of the same op, or 0 */
    uint32_t *loads_before;    /* by op: 1 + the first of the parameters loaded before it, or 0 */
    struct ptx_parameter_load *load;
    uint32_t n_loads;
};

/* What stands in the table for an opcode, or NULL. */
const struct ptx_form_part *ptx_measured_form(const char *text);

/* `entry`: the kernel itself, whose parameters are constants. False if memory is short; release in
 * any case. */
bool ptx_forms_find(const struct ptx_function *f, const struct ptx_cfg *cfg,
                    const struct ptx_names *names, bool entry, struct ptx_forms *out);
void ptx_forms_release(struct ptx_forms *forms);

#endif
