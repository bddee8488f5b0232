/* strata/ptx.h - modules from PTX.
 *
 * A module is made of one or more PTX texts (several are linked by name, as
 * nvcc -rdc=true needs). Creating it checks every instruction: an opcode or a
 * form that cannot be run is named at once, with kernel, line and mnemonic.
 * What can be done with the module is in <strata/emulator.h>. */
#ifndef STRATA_PTX_H
#define STRATA_PTX_H

#include <strata/emulator.h>

struct strata_ptx_source {
    const char *text; /* need not end in NUL; a NUL inside ends the text */
    size_t length;
    const char *name; /* for messages, and the module's name */
};

/* Parses, links and decodes. Texts are not needed afterwards. `memory` is copied; NULL: the C
 * library without checks. STRATA_EFORMAT: not PTX (with line and column); STRATA_EUNSUPPORTED: an
 * instruction, directive or external function that cannot be run. */
strata_status strata_ptx_module_create(const struct strata_ptx_source *sources, size_t n_sources,
                                       const struct strata_device_memory *memory,
                                       struct strata_module **out, struct strata_error *err);

#endif
