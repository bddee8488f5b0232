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
/* The same, for code that runs beside `beside`, which must outlive it: variables that `beside` has
 * by the same name and size are its own, not copies. */
strata_status strata_ptx_module_create_beside(const struct strata_ptx_source *sources,
                                              size_t n_sources, const struct strata_module *beside,
                                              const struct strata_device_memory *memory,
                                              struct strata_module **out, struct strata_error *err);

/* The architecture to compile for: "sm_86" of 86, "sm_90a" of 90, as from there on the newest
 * instructions are only in the variant of their own. */
void strata_ptx_arch(uint32_t sm_version, char arch[16]);
/* Machine code for that architecture by the compiler at `ptxas`, in a temporary folder. Free
 * *cubin. STRATA_EUNSUPPORTED: it refuses the text. */
strata_status strata_ptx_compile(const struct strata_ptx_source *source, const char *ptxas,
                                 uint32_t sm_version, char **cubin, size_t *length,
                                 struct strata_error *err);

#endif
