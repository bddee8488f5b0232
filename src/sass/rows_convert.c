/* rows_convert.c - conversions between types. */
#include "sass/rows.h"

#define FTZ   BIT(FTZ, 80, FTZ)
#define ROUND M(ROUND, 78, 2, sass_set_round)
#define SIGNS (NEG | ABS)

static const uint16_t float_types[4] = {W(BF16), W(F16), W(F32), W(F64)};
static const uint16_t halves[4] = {0, W(H1), BAD, BAD};
static const uint16_t bytes[4] = {0, W(B1), W(B2), W(B3)};

#define DST_FLOAT       M(TYPE, 75, 2, float_types)
#define SRC_FLOAT       M(SRC_TYPE, 84, 2, float_types)
#define DST_FLOAT_QUIET M(TYPE, 75, 2, sass_set_float_type)
#define SRC_FLOAT_QUIET M(SRC_TYPE, 84, 2, sass_set_float_type)
#define SRC_INT         M2(SRC_TYPE, 84, 2, 74, 1, sass_set_int_type)
#define DST_INT         M2(TYPE, 75, 2, 72, 1, sass_set_int_type)
#define INT_ROUND       M(ROUND, 78, 2, sass_set_float_round)
#define B_HALF                                                                                     \
    {                                                                                              \
        .kind = SLOT_B, .flags = SIGNED, .suffix = halves, .suffix_at = 60, .suffix_width = 2      \
    }
#define B_FHALF                                                                                    \
    {                                                                                              \
        .kind = SLOT_B, .flags = SIGNS | FLOAT, .suffix = halves, .suffix_at = 60,                 \
        .suffix_width = 2                                                                          \
    }
#define B_BYTE                                                                                     \
    {                                                                                              \
        .kind = SLOT_B, .flags = SIGNED, .suffix = bytes, .suffix_at = 60, .suffix_width = 2       \
    }
#define C_HALF                                                                                     \
    {                                                                                              \
        .kind = SLOT_C, .suffix = halves, .suffix_at = 72, .suffix_width = 1                       \
    }
#define F2I_MODS MODS(FTZ, DST_INT, SRC_FLOAT_QUIET, INT_ROUND, BIT(NAN, 77, NTZ))

static const uint16_t f2fp_bytes[4] = {BAD, BAD, W(E5M2), W(E4M3)};
static const uint16_t i2ip_types[4] = {W(U8), W(S8), BAD, BAD};
static const uint16_t i2i_types[4] = {W(U8), W(S8), W(U16), W(S16)};

ROWS(convert,
     {ALU(I2FP, 0x045), MODS(ALWAYS(TYPE, W(F32)), EITHER(SRC_TYPE, 74, W(U32), W(S32)), ROUND),
      SLOTS(RD, B_(SIGNED))},
     {ALU(I2IP, 0x039),
      MODS(M(TYPE, 76, 2, i2ip_types), ALWAYS(SRC_TYPE, W(S32)), ALWAYS(SAT, W(SAT))),
      SLOTS(RD, A_(0), B_(SIGNED), C_(0))},
     {ALU(I2I, 0x038),
      MODS(M(TYPE, 76, 2, i2i_types), ALWAYS(SRC_TYPE, W(S32)), ALWAYS(SAT, W(SAT))),
      SLOTS(RD, B_(SIGNED | NEG | ABS))},
     {ALU(F2IP, 0x043),
      MODS(EITHER(TYPE, 76, W(U8), W(S8)), ALWAYS(SRC_TYPE, W(F32)), BIT(NAN, 74, NTZ),
           BIT(RELU, 75, RELU)),
      SLOTS(RD, A_(SIGNS), B_(SIGNS | FLOAT), C_(0))},
     /* packing: Ampere's text leaves out the usual types */
     {ALU(F2FP, 0x03e), TILL(88), WHEN(IS(78, 1, 0)),
      MODS(BIT(RELU, 75, RELU), EITHER(TYPE, 76, Q(F16), W(BF16)), ALWAYS(SRC_TYPE, Q(F32)),
           ALWAYS(MODE, W(PACK_AB)), M(ROUND, 79, 2, sass_set_round)),
      SLOTS(RD, A_(SIGNS), B_(SIGNS | FLOAT))},
     {ALU(F2FP, 0x03e), TILL(88),
      MODS(BIT(RELU, 75, RELU), EITHER(TYPE, 76, Q(F16), W(BF16)), ALWAYS(SRC_TYPE, Q(F32)),
           ALWAYS(MODE, W(MERGE_C)), M(ROUND, 79, 2, sass_set_round)),
      SLOTS(RD, B_(SIGNS | FLOAT), C_(0))},
     {ALU(F2FP, 0x03e), WHEN(IS(89, 1, 1)), /* from two values of eight bits */
      MODS(BIT(RELU, 75, RELU), ALWAYS(TYPE, W(F16)), M(SRC_TYPE, 73, 2, f2fp_bytes),
           ALWAYS(MODE, W(UNPACK_B))),
      SLOTS(RD, {.kind = SLOT_B, .suffix = halves, .suffix_at = 88, .suffix_width = 1})},
     {ALU(F2FP, 0x03e), WHEN(IS(89, 2, 2), IS(78, 1, 1)), /* to them, beside half of c */
      MODS(BIT(SAT, 77, SATFINITE), BIT(RELU, 75, RELU), EITHER(TYPE, 76, W(E5M2), W(E4M3)),
           ALWAYS(SRC_TYPE, W(F32)), ALWAYS(MODE, W(PACK_AB_MERGE_C)),
           M(ROUND, 79, 2, sass_set_round)),
      SLOTS(RD, A_(SIGNS), B_(SIGNS | FLOAT), C_HALF)},
     {ALU(F2FP, 0x03e), WHEN(IS(89, 2, 2)), /* the same of the two halves of b */
      MODS(BIT(SAT, 77, SATFINITE), BIT(RELU, 75, RELU), EITHER(TYPE, 76, W(E5M2), W(E4M3)),
           ALWAYS(SRC_TYPE, W(F16)), ALWAYS(MODE, W(UNPACK_B_MERGE_C))),
      SLOTS(RD, B_(0), C_HALF)},
     {ALU(F2FP, 0x03e), WHEN(IS(78, 1, 0)),
      MODS(BIT(RELU, 75, RELU), EITHER(TYPE, 76, W(F16), W(BF16)), ALWAYS(SRC_TYPE, W(F32)),
           ALWAYS(MODE, W(PACK_AB)), M(ROUND, 79, 2, sass_set_round)),
      SLOTS(RD, A_(SIGNS), B_(SIGNS | FLOAT))},
     {ALU(F2FP, 0x03e),
      MODS(BIT(RELU, 75, RELU), EITHER(TYPE, 76, W(F16), W(BF16)), ALWAYS(SRC_TYPE, W(F32)),
           ALWAYS(MODE, W(MERGE_C)), M(ROUND, 79, 2, sass_set_round)),
      SLOTS(RD, B_(SIGNS | FLOAT), C_(0))},
     {ALU(F2F, 0x104), MODS(FTZ, DST_FLOAT, SRC_FLOAT, ROUND), SLOTS(RD, B_FHALF)},
     {ALU(F2F, 0x110), MODS(FTZ, DST_FLOAT, SRC_FLOAT, ROUND), SLOTS(RD, B_FHALF)},
     {ALU(F2I, 0x105), F2I_MODS, SLOTS(RD, B_FHALF)},
     {ALU(F2I, 0x111), F2I_MODS, SLOTS(RD, B_FHALF)},
     {ALU(I2F, 0x106), WHEN(IS(84, 2, 1)), MODS(DST_FLOAT_QUIET, SRC_INT, ROUND),
      SLOTS(RD, B_HALF)},
     {ALU(I2F, 0x112), WHEN(IS(84, 2, 1)), MODS(DST_FLOAT_QUIET, SRC_INT, ROUND),
      SLOTS(RD, B_HALF)},
     {ALU(I2F, 0x106), MODS(DST_FLOAT_QUIET, SRC_INT, ROUND), SLOTS(RD, B_BYTE)},
     {ALU(I2F, 0x112), MODS(DST_FLOAT_QUIET, SRC_INT, ROUND), SLOTS(RD, B_BYTE)},
     {ALU(FRND, 0x107), MODS(FTZ, DST_FLOAT_QUIET, INT_ROUND), SLOTS(RD, B_FHALF)},
     {ALU(FRND, 0x113), MODS(FTZ, DST_FLOAT_QUIET, INT_ROUND), SLOTS(RD, B_FHALF)}, );
