/* record.h - from executed instructions to the blocks of a trace. */
#ifndef STRATA_EMULATOR_RECORD_H
#define STRATA_EMULATOR_RECORD_H

#include "emulator/emulator.h"

/* A generic access may turn out to be global, shared or local: it has three static instructions in
 * this order. */
enum { EMU_RECORD_GLOBAL = 0, EMU_RECORD_SHARED, EMU_RECORD_LOCAL };

/* Turns the logs of a finished block into a trace block. */
strata_status emu_record_finish(struct emu_block *block, struct strata_builder *builder,
                                struct strata_block **out, struct strata_error *err);

#endif
