/* convert.h - conversions between all types of numbers, rounded once. */
#ifndef STRATA_EMULATOR_CONVERT_H
#define STRATA_EMULATOR_CONVERT_H

#include "emulator/half.h"

/* Of the integers the two lowest bits are the logarithm of the bytes. */
enum emu_number {
    EMU_NUM_U8,
    EMU_NUM_U16,
    EMU_NUM_U32,
    EMU_NUM_U64,
    EMU_NUM_S8,
    EMU_NUM_S16,
    EMU_NUM_S32,
    EMU_NUM_S64,
    EMU_NUM_F16,
    EMU_NUM_F32,
    EMU_NUM_F64,
    EMU_NUM_BF16,
    EMU_NUM_TF32
};
static inline bool emu_number_is_signed(unsigned number)
{
    return number >= EMU_NUM_S8 && number <= EMU_NUM_S64;
}
static inline bool emu_number_is_wide(unsigned number)
{
    return number == EMU_NUM_U64 || number == EMU_NUM_S64 || number == EMU_NUM_F64;
}

struct emu_conversion {
    uint8_t to, from; /* enum emu_number */
    enum emu_rounding rounding;
    bool to_integer; /* float to float: to a whole number */
    bool sat, ftz, relu;
    bool nan_is_lowest; /* NaN to an integer: only the highest bit, else 0 */
};
/* Bits of the source in the low bits of `bits`; the result is extended to 64 bits. */
uint64_t emu_convert(const struct emu_conversion *c, uint64_t bits);

#endif
