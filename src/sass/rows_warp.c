/* rows_warp.c - exchange between the lanes of a warp, special registers. */
#include "sass/rows.h"

static const uint16_t shfl_modes[4] = {W(IDX), W(UP), W(DOWN), W(BFLY)};
static const uint16_t vote_modes[4] = {W(ALL), W(ANY), W(EQ), BAD};
static const uint16_t redux_ops[8] = {Q(AND), W(OR), W(XOR), W(SUM), W(MIN), W(MAX), BAD, BAD};

#define SHFL MODS(M(MODE, 58, 2, shfl_modes))
#define VOTE MODS(M(MODE, 72, 2, vote_modes))
#define SR(a)                                                                                      \
    {                                                                                              \
        .kind = SLOT_SPECIAL, .at = a, .width = 8                                                  \
    }

ROWS(warp, {OP(SHFL, 0x389), SHFL, SLOTS(PD(81), RD, R(24), R(32), R(64))},
     {OP(SHFL, 0x589), SHFL, SLOTS(PD(81), RD, R(24), R(32), IMM(40, 13))},
     {OP(SHFL, 0x989), SHFL, SLOTS(PD(81), RD, R(24), IMM(53, 5), R(64))},
     {OP(SHFL, 0xf89), SHFL, SLOTS(PD(81), RD, R(24), IMM(53, 5), IMM(40, 13))},
     {OP(VOTE, 0x806), WHEN(IS(16, 8, 255)), VOTE,
      SLOTS({.kind = SLOT_R, .at = 16, .flags = FLAG_DEST | FLAG_HIDDEN}, PD(81), P(87, 90))},
     {OP(VOTE, 0x806), VOTE, SLOTS(RD, PD(81), P(87, 90))},
     {OP(VOTEU, 0x886), TILL(99), WHEN(IS(16, 6, 63)), VOTE,
      SLOTS({.kind = SLOT_UR, .at = 16, .flags = FLAG_DEST | FLAG_HIDDEN}, UPD(81), P(87, 90))},
     {OP(VOTEU, 0x886), FROM(100), WHEN(IS(16, 8, 255)), VOTE,
      SLOTS({.kind = SLOT_UR, .at = 16, .flags = FLAG_DEST | FLAG_HIDDEN}, UPD(81), P(87, 90))},
     {OP(VOTEU, 0x886), VOTE, SLOTS(URD, UPD(81), P(87, 90))},
     {OP(MATCH, 0x3a1), WHEN(IS(79, 1, 1)),
      MODS(ALWAYS(MODE, W(ANY)), EITHER(SIZE, 73, Q(U32), W(U64))), SLOTS(RD, R(24))},
     {OP(MATCH, 0x3a1), MODS(ALWAYS(MODE, W(ALL)), EITHER(SIZE, 73, Q(U32), W(U64))),
      SLOTS(PD(81), RD, R(24))},
     {OP(REDUX, 0x3c4), MODS(M(FUNCTION, 78, 3, redux_ops), EITHER(TYPE, 73, Q(U32), W(S32))),
      SLOTS(URD, R(24))},
     {OP(CREDUX, 0x2cc), FROM(100),
      MODS(EITHER(FUNCTION, 79, W(MAX), W(MIN)), EITHER(TYPE, 73, Q(U32), W(S32))),
      SLOTS(URD, R(24))},
     {OP(R2UR, 0x3c2), SLOTS(PDH(81), URD, R(24))}, {OP(R2UR, 0x2ca), SLOTS(PDH(81), URD, R(24))},
     {OP(S2R, 0x919), SLOTS(RD, SR(72))}, {OP(S2UR, 0x9c3), SLOTS(URD, SR(72))},
     {OP(CS2R, 0x805), MODS(EITHER(SIZE, 80, W(32), Q(64))), SLOTS(RD, SR(72))}, );
