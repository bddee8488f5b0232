/* rows_half.c - arithmetic on pairs of f16 or bf16. */
#include "sass/rows.h"

#define FTZ   BIT(FTZ, 80, FTZ)
#define SAT   BIT(SAT, 77, SAT)
#define F32   BIT(TYPE, 78, F32)
#define RELU  BIT(RELU, 79, RELU)
#define SIGNS (NEG | ABS | HALF)
#define CMP   M(CMP, 76, 4, sass_set_compare_float)
#define BOOL  M(BOOL, 69, 2, sass_set_bool)
#define BF16  BIT(SRC_TYPE, 85, BF16_V2)

ROWS(half, {ALU(HADD2, 0x030), MODS(F32, BF16, FTZ, SAT), SLOTS(RD, A_(SIGNS), BC_(SIGNS))},
     {ALU(HFMA2, 0x031), MODS(F32, BF16, FTZ, SAT, RELU),
      SLOTS(RD, A_(SIGNS), B_(SIGNS), C_(SIGNS))},
     {ALU(HFMA2, 0x035), MODS(ALWAYS(MODE, W(MMA)), BF16, FTZ, SAT, RELU),
      SLOTS(RD, A_(SIGNS | FLAG_TIGHT), B_(SIGNS | FLAG_TIGHT), C_(SIGNS | FLAG_TIGHT))},
     {ALU(HMUL2, 0x032), MODS(F32, BF16, FTZ, SAT, RELU), SLOTS(RD, A_(SIGNS), B_(SIGNS))},
     {ALU(HSET2, 0x033), MODS(BIT(TYPE, 71, BF), BIT(SRC_TYPE, 65, BF16_V2), CMP, FTZ, BOOL),
      SLOTS(RD, A_(SIGNS), BC_(SIGNS), P(87, 90))},
     {ALU(HSETP2, 0x034), MODS(BIT(SRC_TYPE, 65, BF16_V2), CMP, BIT(MODE, 71, H_AND), FTZ, BOOL),
      SLOTS(PD(81), PD(84), A_(SIGNS), BC_(SIGNS), P(87, 90))},
     {ALU(HMNMX2, 0x040), MODS(BF16, FTZ, BIT(NAN, 81, NAN), BIT(XORSIGN, 82, XORSIGN)),
      SLOTS(RD, A_(SIGNS), B_(SIGNS), P(87, 90))},
     /* of three; forms that take one half of c, .NAN and .XORSIGN are not known */
     {ALU(VHMNMX, 0x047), WHEN(IS(76, 2, 0), IS(81, 2, 0)), MODS(BF16, FTZ),
      SLOTS(RD, A_(SIGNS), B_(SIGNS), C_(SIGNS), P(87, 90))}, );
