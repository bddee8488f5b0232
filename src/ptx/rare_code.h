/* rare_code.h - what divisions and roots call for operands that their quick way cannot do.
 *
 * A quotient of 0, of numbers near the ends of the exponent's range or of no numbers at all has its
 * own code behind the kernel's, which machine code calls with the lanes that need it. Programs that
 * divide zeros by something spend a third of their instructions there. */
#ifndef STRATA_PTX_RARE_CODE_H
#define STRATA_PTX_RARE_CODE_H

#include "ptx/exec.h"

/* The row of an instruction in the table, PTX_NO_RARE_CODE: it calls nothing. */
unsigned ptx_rare_code(const char *text);

/* An instruction that may call: `extra` is a struct ptx_rare. The handler notes the lanes that do
 * and runs the quick one. */
struct ptx_rare {
    ptx_handler *quick;
    uint8_t code, mnemonic;
    bool wide; /* f64 */
};
ptx_handler ptx_run_rare;

/* Adds the code that the image's instructions may call. False: memory is short. */
bool ptx_rare_describe(struct ptx_image *image);

/* Records the calls that ptx_run_rare has noted. */
void ptx_rare_record(struct ptx_warp *w, const struct ptx_inst *in);

#endif
