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

/* Ordering and scope of memory accesses. Turing has a field each; from Ampere on one field of four
 * bits means both. */
const uint16_t sass_set_sem_75[4] = {W(CONSTANT), Q(WEAK), W(STRONG), W(MMIO)};
const uint16_t sass_set_scope_75[4] = {W(CTA), W(SM), W(GPU), W(SYS)};
const uint16_t sass_set_sem_80[16] = {
    Q(WEAK), Q(WEAK),     Q(WEAK),   Q(WEAK),   W(CONSTANT), W(STRONG), W(STRONG), W(STRONG),
    W(MMIO), W(CONSTANT), W(STRONG), W(STRONG), W(MMIO),     BAD,       BAD,       BAD};
const uint16_t sass_set_scope_80[16] = {0,      W(SM),  W(CTA), W(VC),  0,      W(SM),
                                        W(GPU), W(GPU), W(GPU), W(SYS), W(SYS), W(VC),
                                        W(SYS), 0,      0,      0};
const uint16_t sass_set_private_80[16] = {[6] = W(PRIVATE)};

const uint16_t sass_set_prmt[8] = {0, W(F4E), W(B4E), W(RC8), W(ECL), W(ECR), W(RC16), BAD};
/* The usual types, f32 and s32, are not printed. */
const uint16_t sass_set_float_type[4] = {W(BF16), W(F16), Q(F32), W(F64)};
const uint16_t sass_set_int_type[8] = {W(U8), W(U16), W(U32), W(U64),
                                       W(S8), W(S16), Q(S32), W(S64)};
