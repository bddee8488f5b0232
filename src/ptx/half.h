/* half.h - f16 and bf16 by integer arithmetic, so that every host gives the same bits. */
#ifndef STRATA_PTX_HALF_H
#define STRATA_PTX_HALF_H

#include <stdbool.h>
#include <stdint.h>

/* Rounding of a conversion to fewer bits. */
enum ptx_rounding {
    PTX_ROUND_NEAREST = 0, /* ties to even */
    PTX_ROUND_ZERO,
    PTX_ROUND_DOWN,
    PTX_ROUND_UP,
    PTX_ROUND_AWAY /* nearest, ties away from zero */
};

double ptx_half_value(uint16_t half);
double ptx_bfloat_value(uint16_t bfloat);
/* One rounding from the exact double; NaN gives the canonical 0x7fff. */
uint16_t ptx_half_from(double value, enum ptx_rounding rounding);
uint16_t ptx_bfloat_from(double value, enum ptx_rounding rounding);
/* Float bits with the mantissa cut to 10 bits. */
uint32_t ptx_tf32_from(float value, enum ptx_rounding rounding);
/* x + y as a double whose last bit tells whether something was lost (round to odd): a later
 * rounding to a format of at most 51 bits is then as if the sum had been exact. */
double ptx_add_odd(double x, double y);
/* Float from an exact double in a rounding mode. */
float ptx_float_from(double value, enum ptx_rounding rounding);

#endif
