/* half.h - f16, bf16 and the two formats of eight bits by integer arithmetic, so that every host
 * gives the same bits. */
#ifndef STRATA_EMULATOR_HALF_H
#define STRATA_EMULATOR_HALF_H

#include <stdbool.h>
#include <stdint.h>

/* Rounding of a conversion to fewer bits. */
enum emu_rounding {
    EMU_ROUND_NEAREST = 0, /* ties to even */
    EMU_ROUND_ZERO,
    EMU_ROUND_DOWN,
    EMU_ROUND_UP,
    EMU_ROUND_AWAY /* nearest, ties away from zero */
};

double emu_half_value(uint16_t half);
double emu_bfloat_value(uint16_t bfloat);
/* One rounding from the exact double; NaN gives the canonical 0x7fff. */
uint16_t emu_half_from(double value, enum emu_rounding rounding);
uint16_t emu_bfloat_from(double value, enum emu_rounding rounding);
/* Eight bits: four of exponent and three of mantissa (no infinity, one NaN), or five and two. What
 * is too large, infinity too, becomes the largest finite number; NaN gives 0x7f. */
double emu_e4m3_value(uint8_t bits);
double emu_e5m2_value(uint8_t bits);
uint8_t emu_e4m3_from(double value, enum emu_rounding rounding);
uint8_t emu_e5m2_from(double value, enum emu_rounding rounding);
/* Pairs of them in sixteen bits, as conversions of both instruction sets make and take them; relu:
 * what is below zero becomes zero. Unpacked they are two halves (f16). */
uint32_t emu_eight_bits_pack(double upper, double lower, bool e5m2, bool relu);
uint32_t emu_eight_bits_unpack(uint16_t pair, bool e5m2, bool relu);
/* Float bits with the mantissa cut to 10 bits. */
uint32_t emu_tf32_from(float value, enum emu_rounding rounding);
/* x + y as a double whose last bit tells whether something was lost (round to odd): a later
 * rounding to a format of at most 51 bits is then as if the sum had been exact. */
double emu_add_odd(double x, double y);
/* Float from an exact double in a rounding mode. */
float emu_float_from(double value, enum emu_rounding rounding);

#endif
