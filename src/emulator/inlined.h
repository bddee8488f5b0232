/* inlined.h - where inlined code stands, in one text for the record. */
#ifndef STRATA_EMULATOR_INLINED_H
#define STRATA_EMULATOR_INLINED_H

#include <stddef.h>
#include <stdint.h>

/* The innermost places of deeper chains are told; a chain of a damaged file has no end of its own.
 */
#define EMU_INLINED_DEPTH 16

struct emu_place {
    const char *file; /* path; NULL: not known */
    uint32_t line;
};

/* The text of strata_inst's `inlined`, fresh memory: `place` has `n` places, the innermost first.
 * NULL: there is none, or no memory. */
char *emu_inlined_text(const struct emu_place *place, size_t n);

#endif
