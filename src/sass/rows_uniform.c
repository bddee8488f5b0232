/* rows_uniform.c - the uniform datapath: one value a warp. */
#include "sass/rows.h"

#define CMP_INT M(CMP, 76, 3, sass_set_compare_int)
#define BOOL    M(BOOL, 74, 2, sass_set_bool)
#define IS_U32  EITHER(SIGN, 73, W(U32), Q(S32))
#define SIZE    M(SIZE, 73, 3, sass_set_size)

static const uint16_t prmt_modes[8] = {0,      W(F4E), W(B4E),  W(RC8),
                                       W(ECL), W(ECR), W(RC16), BAD};

#define UIADD3_X(pd) SLOTS(URD, pd(81), pd(84), A_(INV), B_(INV | SIGNED), C_(INV), UP(87, 90), UP(77, 80))
#define UIADD3(pd)   SLOTS(URD, pd(81), pd(84), A_(NEG), B_(NEG | SIGNED), C_(NEG))

ROWS(
    uniform,
    {UALU(UIADD3, 0x090), TILL(99), WHEN(IS(74, 1, 1)), MODS(BIT(CARRY_IN, 74, X)), UIADD3_X(UPDH)},
    {UALU(UIADD3, 0x090), TILL(99), UIADD3(UPDH)},
    {UALU(UIADD3, 0x090), WHEN(IS(74, 1, 1)), MODS(BIT(CARRY_IN, 74, X)), UIADD3_X(UPD)},
    {UALU(UIADD3, 0x090), UIADD3(UPD)},
    {UALU(UIADD3, 0x097), MODS(ALWAYS(SIZE, W(64))), UIADD3(UPD)},
    {UALU(UIMAD, 0x0a4), WHEN(IS(74, 1, 0)), MODS(ALWAYS(MODE, Q(LO)), IS_U32),
     SLOTS(URD, A_(0), B_(SIGNED), C_(NEG))},
    {UALU(UIMAD, 0x0a5), WHEN(IS(74, 1, 0)), MODS(ALWAYS(MODE, W(WIDE)), IS_U32),
     SLOTS(URD, UPDH(81), A_(0), B_(SIGNED), C_(NEG))},
    {UALU(UIMAD, 0x0a5), MODS(ALWAYS(MODE, W(WIDE)), IS_U32, BIT(CARRY_IN, 74, X)),
     SLOTS(URD, UPDH(81), A_(0), B_(SIGNED), C_(INV), UP(87, 90))},
    {UALU(UIMAD, 0x0a7), MODS(ALWAYS(MODE, W(HI)), IS_U32),
     SLOTS(URD, UPDH(81), A_(0), B_(SIGNED), C_(NEG))},
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
     SLOTS(URD, UPDH(81), A_(NEG), B_(NEG), C_(0), IMM(75, 5))},
    {UALU(ULEA, 0x091), MODS(BIT(HIGH, 80, HI), BIT(CARRY_IN, 74, X)),
     SLOTS(URD, UPDH(81), A_(INV), B_(INV), C_(0), IMM(75, 5), UP(87, 90))},
    {UALU(ULOP3, 0x092), MODS(ALWAYS(LUT, W(LUT)), BIT(BOOL, 80, PAND)),
     SLOTS(UPDH(81), URD, A_(0), B_(0), C_(0), IMM(72, 8), UP(87, 90))},
    {UOP(UPLOP3, 0x89c), MODS(ALWAYS(LUT, W(LUT))),
     SLOTS(UPD(81), UPD(84), UP(87, 90), UP(77, 80), UP(68, 71),
           {.kind = SLOT_IMM2, .at = 72, .width = 5, .aux = 64, .ureg = 3}, IMM(16, 8))},
    {UALU(USHF, 0x099),
     MODS(EITHER(DIRECTION, 76, W(L), W(R)), BIT(WRAP, 75, W), M(TYPE, 73, 2, sass_set_shift_type),
          BIT(HIGH, 80, HI)),
     SLOTS(URD, A_(0), B_(0), C_(0))},
    {UALU(USGXT, 0x09a), MODS(BIT(WRAP, 75, W), IS_U32), SLOTS(URD, A_(0), B_(SIGNED))},
    {UALU(UBMSK, 0x09b), MODS(BIT(WRAP, 75, W)), SLOTS(URD, A_(0), B_(SIGNED))},
    {UALU(UPRMT, 0x096), MODS(M(MODE, 72, 3, prmt_modes)), SLOTS(URD, A_(0), B_(0), C_(0))},
    {UALU(USEL, 0x087), SLOTS(URD, A_(0), B_(0), UP(87, 90))},
    {UALU(UPOPC, 0x0bf), SLOTS(URD, B_(INV))},
    {UALU(UBREV, 0x0be), SLOTS(URD, B_(INV))},
    {UALU(UFLO, 0x0bd), MODS(IS_U32, BIT(MODE, 74, SH)), SLOTS(URD, UPDH(81), B_(INV))},
    {UALU(UMOV, 0x082), FORMS(F_RRI), FROM(100), MODS(ALWAYS(SIZE, W(64))),
     SLOTS(URD, {.kind = SLOT_IMM2, .at = 64, .width = 24, .aux = 24, .ureg = 40})},
    {UALU(UMOV, 0x082), SLOTS(URD, B_(0))},
    {.op = SASS_UMOV, .opcode = 0x882, .flags = ROW_UNIFORM, SLOTS(URD, IMM(32, 32))},
    {UOP(UP2UR, 0x883), SLOTS(URD, {.kind = SLOT_UPR}, UR(24), IMM(32, 32))},
    {UALU(UFFMA, 0x055), FROM(100), SLOTS(URD, A_(NEG | ABS), B_(NEG | ABS | FLOAT), C_(NEG | ABS | FLOAT))},
    {.op = SASS_ULDC, .opcode = 0xab9, .flags = ROW_UNIFORM, MODS(SIZE), SLOTS(URD, {.kind = SLOT_CONST})},
    {UOP(ULDC, 0xabb), MODS(SIZE), SLOTS(URD, {.kind = SLOT_CONST_UIDX, .flags = FLAG_SIGNED | FLAG_ZERO})},
    {UOP(LDCU, 0x7ac), MODS(SIZE), SLOTS(URD, {.kind = SLOT_CONST_UIDX, .flags = FLAG_SIGNED | FLAG_ZERO})}, );
