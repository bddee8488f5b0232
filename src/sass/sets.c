/* sets.c - words by value of their field, for fields that several opcodes share. */
#include "sass/rows.h"

const uint16_t sass_set_compare_int[8] = {W(F), W(LT), W(EQ), W(LE), W(GT), W(NE), W(GE), W(T)};
const uint16_t sass_set_compare_float[16] = {W(F),   W(LT),  W(EQ),  W(LE),  W(GT),  W(NE),
                                             W(GE),  W(NUM), W(NAN), W(LTU), W(EQU), W(LEU),
                                             W(GTU), W(NEU), W(GEU), W(T)};
const uint16_t sass_set_bool[4] = {W(AND), W(OR), W(XOR), BAD};
const uint16_t sass_set_round[4] = {Q(RN), W(RM), W(RP), W(RZ)};
const uint16_t sass_set_float_round[4] = {0, W(FLOOR), W(CEIL), W(TRUNC)};
const uint16_t sass_set_size[8] = {W(U8), W(S8), W(U16), W(S16), Q(32), W(64), W(128), W(128)};
const uint16_t sass_set_atomic[16] = {W(ADD), W(MIN), W(MAX),  W(INC),     W(DEC),    W(AND),
                                      W(OR),  W(XOR), W(EXCH), W(SAFEADD), W(ARRIVE), BAD,
                                      BAD,    BAD,    BAD,     BAD};
const uint16_t sass_set_cache[8] = {W(EF), 0, W(EL), W(LU), W(EU), W(NA), BAD, BAD};
const uint16_t sass_set_prefetch[4] = {0, W(LTC64B), W(LTC128B), W(LTC256B)};
const uint16_t sass_set_shift_type[4] = {W(S64), W(U64), W(S32), W(U32)};
const uint16_t sass_set_stride[4] = {0, W(X4), W(X8), W(X16)};
