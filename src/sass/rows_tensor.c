/* rows_tensor.c - products of small matrices held by a warp. */
#include "sass/rows.h"

static const uint16_t row_col[2] = {W(ROW), W(COL)};
static const uint16_t hmma_shapes[4] = {W(1688), W(16816), W(1684), W(16832)};
static const uint16_t hmma_types[4] = {Q(F16), W(BF16), W(TF32), W(E6M9)};
static const uint16_t volta_types[4] = {W(F16), BAD, BAD, W(F32)};
static const uint16_t steps[4] = {W(STEP0), W(STEP1), W(STEP2), W(STEP3)};
static const uint16_t imma_shapes[8] = {W(8816),  BAD,      W(8832),  BAD,
                                        W(16816), W(16832), W(16864), W(168128)};
static const uint16_t imma_types[4] = {W(U8), W(S8), W(U4), W(S4)};
static const uint16_t bmma_shapes[4] = {W(88128), W(168128), W(168256), BAD};
static const uint16_t dmma_shapes[4] = {W(884), W(16x8x4), W(16x8x8), W(16x8x16)};
static const uint16_t movm_sizes[8] = {W(16),    W(U4TO8), W(S4TO8), W(U2TO4),
                                       W(S2TO4), BAD,      BAD,      BAD};
static const uint16_t movm_modes[4] = {W(MT88), W(M832), W(M864), BAD};
static const uint16_t qmma_shapes[4] = {W(16816), W(16832), W(16864), BAD};
static const uint16_t qmma_types[8] = {W(E4M3), W(E5M2), BAD, W(E3M2), W(E2M3), W(E2M1), BAD, BAD};

#define REG_A R_REUSE(24, 0)
#define REG_B R_REUSE(32, 1)
#define REG_C R_REUSE(64, 2)
#define ROW_A R_WORD(24, 0, row_col, 73, 1)
#define COL_B R_WORD(32, 1, row_col, 74, 1)
#define SPARSE                                                                                     \
    {                                                                                              \
        .kind = SLOT_R, .at = 40, .desc = 50                                                       \
    }
#define IMMA_TYPES M2(SRC_TYPE, 76, 1, 83, 1, imma_types), M2(SRC_TYPE2, 78, 1, 84, 1, imma_types)
#define IMMA_SHAPE M2(SHAPE, 75, 1, 85, 2, imma_shapes)
#define HMMA_MODS                                                                                  \
    M2(SHAPE, 75, 1, 78, 1, hmma_shapes), EITHER(TYPE, 76, W(F16), W(F32)),                        \
        M(SRC_TYPE, 82, 2, hmma_types)

#define QMMA_MODS                                                                                  \
    M(SHAPE, 75, 2, qmma_shapes), EITHER(TYPE, 77, W(F16), W(F32)),                                \
        M2(SRC_TYPE, 78, 1, 82, 2, qmma_types), M2(SRC_TYPE2, 79, 1, 84, 2, qmma_types)

ROWS(tensor,
     {OP(HMMA, 0x23c), WHEN(IS(73, 1, 1)), MODS(BIT(SPARSE, 73, SP), HMMA_MODS),
      SLOTS(RD, REG_A, REG_B, REG_C, SPARSE, IMM(48, 2))},
     {OP(HMMA, 0x23c), MODS(HMMA_MODS), SLOTS(RD, REG_A, REG_B, REG_C)},
     {OP(HMMA, 0x236), TILL(79), /* in four steps, for matrices of Volta's shape */
      MODS(ALWAYS(SHAPE, W(884)), M2(TYPE, 76, 1, 78, 1, volta_types),
           M2(ACC_TYPE, 76, 1, 78, 1, volta_types), M(STEP, 79, 2, steps)),
      SLOTS(RD, ROW_A, COL_B, REG_C)},
     {OP(IMMA, 0x237), WHEN(IS(72, 1, 1)),
      MODS(BIT(SPARSE, 72, SP), IMMA_SHAPE, IMMA_TYPES, BIT(SAT, 82, SAT)),
      SLOTS(RD, ROW_A, COL_B, REG_C, SPARSE, IMM(48, 2))},
     {OP(IMMA, 0x237), MODS(IMMA_SHAPE, IMMA_TYPES, BIT(SAT, 82, SAT)),
      SLOTS(RD, ROW_A, COL_B, REG_C)},
     {OP(BMMA, 0x23d),
      MODS(M(SHAPE, 75, 2, bmma_shapes), EITHER(FUNCTION, 78, W(XOR), W(AND)), BIT(MODE, 80, POPC)),
      SLOTS(RD, ROW_A, COL_B, REG_C)},
     {ALU(DMMA, 0x03f), MODS(M(SHAPE, 76, 2, dmma_shapes), M(ROUND, 78, 2, sass_set_round)),
      SLOTS(RD, A_(NEG | ABS), B_(NEG | ABS), C_(NEG | ABS))},
     {OP(QMMA, 0x27a), WHEN(IS(80, 1, 1)), MODS(BIT(SPARSE, 80, SP), QMMA_MODS),
      SLOTS(RD, ROW_A, COL_B, REG_C, SPARSE, IMM(48, 2))},
     {OP(QMMA, 0x27a), MODS(QMMA_MODS), SLOTS(RD, ROW_A, COL_B, REG_C)},
     {OP(MOVM, 0x23a), MODS(M(SIZE, 75, 3, movm_sizes), M(MODE, 78, 2, movm_modes)),
      SLOTS(RD, R(24))}, );
