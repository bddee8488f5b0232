/* strata/sass.h - modules from machine code.
 *
 * A module is made of one cubin. Creating it places its variables in memory and applies its
 * relocations; the instructions of a kernel are made ready when it is first asked about or run.
 * What can be done with the module is in <strata/emulator.h>. */
#ifndef STRATA_SASS_H
#define STRATA_SASS_H

#include <strata/emulator.h>

/* `name` is for messages; neither it nor the bytes are needed afterwards. `memory` is copied; NULL:
 * the C library without checks. STRATA_EFORMAT: not a cubin; STRATA_EUNSUPPORTED: one that is not
 * linked, or of an architecture whose code is not known. */
strata_status strata_sass_module_create(const void *cubin, size_t length, const char *name,
                                        const struct strata_device_memory *memory,
                                        struct strata_module **out, struct strata_error *err);

#endif
