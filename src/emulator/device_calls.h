/* device_calls.h - what the driver's own functions execute that kernels call: printf, malloc, free.
 *
 * Their code is not there to be run. What they do to the program is done at once (builtin.c); what
 * a card executes for it stands in the trace as instructions of the same number, with as many
 * accesses of each kind, behind the kernel's own code. Their numbers are the driver's, not a
 * card's. */
#ifndef STRATA_EMULATOR_DEVICE_CALLS_H
#define STRATA_EMULATOR_DEVICE_CALLS_H

#include "emulator/emulator.h"

/* Adds their instructions to the image of a kernel that calls one; for `isa`. False: memory is
 * short. */
bool emu_calls_describe(struct emu_image *image, enum strata_isa isa);

/* Lanes of `mask` have called it together. */
void emu_call_print(struct emu_warp *w, const struct emu_site *site, uint32_t mask,
                    const struct emu_printed *printed);
void emu_call_malloc(struct emu_warp *w, const struct emu_site *site, uint32_t mask);
void emu_call_free(struct emu_warp *w, const struct emu_site *site, uint32_t mask);

#endif
