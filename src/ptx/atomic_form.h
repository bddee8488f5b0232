/* atomic_form.h - atomics of a warp on one address, which the assembler makes one of. */
#ifndef STRATA_PTX_ATOMIC_FORM_H
#define STRATA_PTX_ATOMIC_FORM_H

#include "emulator/emulator.h"
#include "ptx/machine_form.h"

struct ptx_atomic_form {
    enum emu_acting acting;            /* which lanes the memory sees */
    const struct ptx_form_part *parts; /* NULL: the atomic alone */
};
/* `answered`: somebody reads its result. varies: by register, see variance.h. */
struct ptx_atomic_form ptx_atomic_form(const struct ptx_op *op, bool answered, const bool *varies);

#endif
