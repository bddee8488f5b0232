/* rows_uniform.c - the uniform datapath: one value a warp. */
#include "sass/rows.h"

#define CMP_INT M(CMP, 76, 3, sass_set_compare_int)
#define BOOL    M(BOOL, 74, 2, sass_set_bool)
#define IS_U32  EITHER(SIGN, 73, W(U32), Q(S32))
#define SIZE    M(SIZE, 73, 3, sass_set_size)

static const uint16_t prmt_modes[8] = {0, W(F4E), W(B4E), W(RC8), W(ECL), W(ECR), W(RC16), BAD};

static const uint16_t float_types[4] = {BAD, W(F16), Q(F32), W(F64)};
static const uint16_t int_types[8] = {W(U8), W(U16), W(U32), W(U64), W(S8), W(S16), Q(S32), W(S64)};

#define SIGNS      (NEG | ABS)
#define FLOAT_MODS MODS(BIT(FTZ, 80, FTZ), M(ROUND, 78, 2, sass_set_round), BIT(SAT, 77, SAT))

#define UIADD3_X(pd)                                                                               \
    SLOTS(URD, pd(81), pd(84), A_(INV), B_(INV | SIGNED), C_(INV), UP(87, 90), UP(77, 80))
#define UIADD3(pd) SLOTS(URD, pd(81), pd(84), A_(NEG), B_(NEG | SIGNED), C_(NEG))

ROWS(
    uniform,
    {UALU(UIADD3, 0x090), TILL(99), WHEN(IS(74, 1, 1)), MODS(BIT(CARRY_IN, 74, X)), UIADD3_X(UPDH)},
    {UALU(UIADD3, 0x090), TILL(99), UIADD3(UPDH)},
    {UALU(UIADD3, 0x090), WHEN(IS(74, 1, 1)), MODS(BIT(CARRY_IN, 74, X)), UIADD3_X(UPD)},
    {UALU(UIADD3, 0x090), UIADD3(UPD)},
    {UALU(UIADD3, 0x097), MODS(ALWAYS(SIZE, W(64))), UIADD3(UPD)},
    {UALU(UIMAD, 0x0a4), WHEN(IS(74, 1, 0)), MODS(ALWAYS(MODE, Q(LO)), IS_U32),
     SLOTS(URD, A_(0), B_(SIGNED), C_(NEG | SIGNED))},
    {UALU(UIMAD, 0x0a5), WHEN(IS(74, 1, 0)), MODS(ALWAYS(MODE, W(WIDE)), IS_U32),
     SLOTS(URD, UPDH(81), A_(0), B_(SIGNED), C_(NEG | SIGNED))},
    {UALU(UIMAD, 0x0a5), MODS(ALWAYS(MODE, W(WIDE)), IS_U32, BIT(CARRY_IN, 74, X)),
     SLOTS(URD, UPDH(81), A_(0), B_(SIGNED), C_(INV), UP(87, 90))},
    {UALU(UIMAD, 0x0a6), MODS(ALWAYS(MODE, W(HI)), IS_U32),
     SLOTS(URD, UPDH(81), A_(0), B_(SIGNED), C_(NEG | SIGNED))},
    {UALU(UISETP, 0x08c), FROM(120), WHEN(IS(72, 1, 0), IS(80, 1, 1)),
     MODS(CMP_INT, EITHER(SIGN, 73, W(U64), W(S64)), BOOL),
     SLOTS(UPD(81), UPD(84), A_(0), B_(SIGNED), UP(87, 90))},
    {UALU(UISETP, 0x08c), WHEN(IS(72, 1, 1)), MODS(CMP_INT, IS_U32, BOOL, BIT(CARRY_IN, 72, EX)),
     SLOTS(UPD(81), UPD(84), A_(0), B_(SIGNED), UP(87, 90), UP(68, 71))},
    {UALU(UISETP, 0x08c), MODS(CMP_INT, IS_U32, BOOL),
     SLOTS(UPD(81), UPD(84), A_(0), B_(SIGNED), UP(87, 90))},
    {UALU(ULEA, 0x091), WHEN(IS(80, 1, 0), IS(74, 1, 0)),
     SLOTS(URD, UPDH(81), A_(NEG), B_(NEG), IMM(75, 5))},
    {UALU(ULEA, 0x091), WHEN(IS(80, 1, 0)), MODS(BIT(CARRY_IN, 74, X)),
     SLOTS(URD, UPDH(81), A_(INV), B_(INV), IMM(75, 5), UP(87, 90))},
    {UALU(ULEA, 0x091), WHEN(IS(73, 1, 1), IS(74, 1, 0)),
     MODS(BIT(HIGH, 80, HI), BIT(SIGN, 73, SX32)),
     SLOTS(URD, UPDH(81), A_(NEG), B_(NEG), IMM(75, 5))},
    {UALU(ULEA, 0x091), WHEN(IS(73, 1, 1)),
     MODS(BIT(HIGH, 80, HI), BIT(CARRY_IN, 74, X), BIT(SIGN, 73, SX32)),
     SLOTS(URD, UPDH(81), A_(INV), B_(INV), IMM(75, 5), UP(87, 90))},
    {UALU(ULEA, 0x091), WHEN(IS(74, 1, 0)), MODS(BIT(HIGH, 80, HI)),
     SLOTS(URD, UPDH(81), A_(NEG), B_(NEG | FLAG_NO64), C_(0), IMM(75, 5))},
    {UALU(ULEA, 0x091), MODS(BIT(HIGH, 80, HI), BIT(CARRY_IN, 74, X)),
     SLOTS(URD, UPDH(81), A_(INV), B_(INV | FLAG_NO64), C_(0), IMM(75, 5), UP(87, 90))},
    {UALU(ULOP3, 0x092), MODS(ALWAYS(LUT, W(LUT)), BIT(BOOL, 80, PAND)),
     SLOTS(UPDH(81), URD, A_(0), B_(0), C_(0), IMM(72, 8), UP(87, 90))},
    {.op = SASS_UPLOP3,
     .opcode = 0x89c,
     .flags = ROW_UNIFORM,
     MODS(ALWAYS(LUT, W(LUT))),
     SLOTS(UPD(81), UPD(84), UP(87, 90), UP(77, 80), UP(68, 71),
           {.kind = SLOT_IMM2, .at = 72, .width = 5, .aux = 64, .ureg = 3}, IMM(16, 8))},
    {UALU(USHF, 0x099),
     MODS(EITHER(DIRECTION, 76, W(L), W(R)), BIT(WRAP, 75, W), M(TYPE, 73, 2, sass_set_shift_type),
          BIT(HIGH, 80, HI)),
     SLOTS(URD, A_(0), B_(0), C_(0))},
    {UALU(USGXT, 0x09a), MODS(BIT(WRAP, 75, W), IS_U32), SLOTS(URD, A_(0), B_(SIGNED))},
    {UALU(UBMSK, 0x09b), MODS(BIT(WRAP, 75, W)), SLOTS(URD, A_(0), B_(SIGNED))},
    {UALU(UPRMT, 0x096), MODS(M(MODE, 72, 3, prmt_modes)), SLOTS(URD, A_(0), B_(0), C_(0))},
    {UALU(USEL, 0x087), FORMS(F_RUR), FROM(100), MODS(ALWAYS(SIZE, W(64))),
     SLOTS(URD, A_(0), B_(0), UP(87, 90))},
    {UALU(USEL, 0x087), SLOTS(URD, A_(0), B_(0), UP(87, 90))},
    {UALU(UPOPC, 0x0bf), SLOTS(URD, B_(INV))}, {UALU(UBREV, 0x0be), SLOTS(URD, B_(INV))},
    {UALU(UFLO, 0x0bd), MODS(IS_U32, BIT(MODE, 74, SH)), SLOTS(URD, UPDH(81), B_(INV))},
    {UALU(UMOV, 0x082), FORMS(F_RRI), FROM(100), MODS(ALWAYS(SIZE, W(64))),
     SLOTS(URD,
           {.kind = SLOT_IMM2, .at = 64, .width = 24, .aux = 24, .ureg = 40, .flags = FLAG_WHOLE})},
    {UALU(UMOV, 0x082), FROM(100), WHEN(IS(80, 1, 1)), MODS(ALWAYS(SIZE, W(64))),
     SLOTS(URD, B_(0))},
    {UALU(UMOV, 0x082), SLOTS(URD, B_(0))},
    {.op = SASS_UMOV, .opcode = 0x882, .flags = ROW_UNIFORM, SLOTS(URD, IMM(32, 32))},
    {UOP(UP2UR, 0x883), SLOTS(URD, {.kind = SLOT_UPR}, UR(24), IMM(32, 32))},
    /* floats, from Blackwell on */
    {UALU(UFFMA, 0x055), FROM(100), FLOAT_MODS,
     SLOTS(URD, A_(SIGNS), B_(SIGNS | FLOAT), C_(SIGNS | FLOAT))},
    {UALU(UFADD, 0x054), FROM(100), FLOAT_MODS, SLOTS(URD, A_(SIGNS), C_(SIGNS | FLOAT))},
    {UALU(UFMUL, 0x056), FROM(100), FLOAT_MODS, SLOTS(URD, A_(SIGNS), B_(SIGNS | FLOAT))},
    {UALU(UFSEL, 0x051), FROM(100), SLOTS(URD, A_(SIGNS), B_(SIGNS | FLOAT), UP(87, 90))},
    {UALU(UFMNMX, 0x050), FROM(100), MODS(BIT(FTZ, 80, FTZ), BIT(NAN, 81, NAN)),
     SLOTS(URD, A_(SIGNS), B_(SIGNS | FLOAT), UP(87, 90))},
    {UALU(UFSETP, 0x053), FROM(100),
     MODS(M(CMP, 76, 4, sass_set_compare_float), BIT(FTZ, 80, FTZ), BOOL),
     SLOTS(UPD(81), UPD(84), A_(SIGNS), B_(SIGNS | FLOAT), UP(87, 90))},
    {UALU(UI2F, 0x05a), FROM(100),
     MODS(M(TYPE, 75, 2, float_types), M2(SRC_TYPE, 84, 2, 74, 1, int_types),
          M(ROUND, 78, 2, sass_set_round)),
     SLOTS(URD, B_(SIGNED))},
    {UALU(UF2I, 0x05c), FROM(100),
     MODS(BIT(FTZ, 80, FTZ), M2(TYPE, 75, 2, 72, 1, int_types), M(SRC_TYPE, 84, 2, float_types),
          M(ROUND, 78, 2, sass_set_float_round), BIT(NAN, 77, NTZ)),
     SLOTS(URD, B_(SIGNS | FLOAT))},
    {UALU(UVIMNMX, 0x04a), FROM(100), MODS(EITHER(TYPE, 72, W(U32), W(S32))),
     SLOTS(URD, A_(0), B_(SIGNED), UP(87, 90))},
    {UALU(UIMNMX, 0x085), FROM(120), MODS(EITHER(TYPE, 73, W(U64), W(S64))),
     SLOTS(UPD(81), UPD(84), URD, A_(0), B_(SIGNED), UP(87, 90), UP(77, 80))},
    {.op = SASS_ULDC,
     .opcode = 0xab9,
     .flags = ROW_UNIFORM,
     MODS(SIZE),
     SLOTS(URD, {.kind = SLOT_CONST})},
    {UOP(ULDC, 0xabb), MODS(SIZE),
     SLOTS(URD, {.kind = SLOT_CONST_UIDX, .flags = FLAG_SIGNED | FLAG_ZERO})},
    {UOP(LDCU, 0x7ac), MODS(SIZE), SLOTS(URD, {.kind = SLOT_CONST_WIDE, .flags = FLAG_ZERO})}, );
