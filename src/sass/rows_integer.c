/* rows_integer.c - integer arithmetic, logic, shifts, selection, and moves between registers. */
#include "sass/rows.h"

#define CMP_INT M(CMP, 76, 3, sass_set_compare_int)
#define BOOL    M(BOOL, 74, 2, sass_set_bool)
#define IS_U32  EITHER(SIGN, 73, W(U32), Q(S32))

static const uint16_t bytes[4] = {0, W(B1), W(B2), W(B3)};
static const uint16_t vimnmx_types[4] = {W(U32), Q(S32), W(U16x2), W(S16x2)};
static const uint16_t vimnmx_types_100[4] = {W(U32), W(S32), W(U16x2), W(S16x2)};

#define IADD3_X_SLOTS                                                                              \
    SLOTS(RD, PDH(81), PDH(84), A_(INV), B_(INV | SIGNED), C_(INV | SIGNED), P(87, 90), P(77, 80))
#define IADD3_SLOTS SLOTS(RD, PDH(81), PDH(84), A_(NEG), B_(NEG | SIGNED), C_(NEG | SIGNED))

#define IMAD_ABC SLOTS(RD, A_(0), B_(SIGNED), C_(NEG | SIGNED))
#define IMAD_X   SLOTS(RD, PDH(81), A_(0), B_(SIGNED), C_(INV | SIGNED), P(87, 90))

#define ISETP_SLOTS SLOTS(PD(81), PD(84), A_(0), B_(SIGNED), P(87, 90))

ROWS(
    integer,
    /* sums; the carries in exist only with .X */
    {ALU(IADD3, 0x010), TILL(99), WHEN(IS(74, 1, 1)), MODS(BIT(CARRY_IN, 74, X)), IADD3_X_SLOTS},
    {ALU(IADD3, 0x010), TILL(99), IADD3_SLOTS},
    {ALU(IADD3, 0x010), WHEN(IS(74, 1, 1)), MODS(BIT(CARRY_IN, 74, X)),
     SLOTS(RD, PD(81), PD(84), A_(INV), B_(INV | SIGNED), C_(INV | SIGNED), P(87, 90), P(77, 80))},
    {ALU(IADD3, 0x010), SLOTS(RD, PD(81), PD(84), A_(NEG), B_(NEG | SIGNED), C_(NEG | SIGNED))},
    {ALU(IADD, 0x035), FROM(100), MODS(ALWAYS(SIZE, W(64))), SLOTS(RD, A_(NEG), B_(NEG | SIGNED))},
    {ALU(VIADD, 0x036), FROM(90), SLOTS(RD, A_(NEG), B_(NEG))},
    {ALU(IABS, 0x013), SLOTS(RD, B_(NEG | SIGNED))},

    /* products; the disassembler names special cases of IMAD by what they do */
    {ALU(IMAD, 0x024), FORMS(F_RRR), WHEN(IS(24, 8, 255), IS(32, 8, 255), IS(74, 1, 0)),
     MODS(ALWAYS(MODE, W(MOV)), IS_U32), IMAD_ABC},
    {ALU(IMAD, 0x024), FORMS(F_RRI | F_RRC), WHEN(IS(24, 8, 255), IS(64, 8, 255), IS(74, 1, 0)),
     MODS(ALWAYS(MODE, W(MOV)), IS_U32), IMAD_ABC},
    {ALU(IMAD, 0x024), FORMS(F_RIR), WHEN(IS(32, 32, 0), IS(74, 1, 0)),
     MODS(ALWAYS(MODE, W(MOV)), IS_U32), IMAD_ABC},
    {ALU(IMAD, 0x024), FORMS(F_RIR), WHEN(IS(32, 32, 1), IS(64, 8, 255), IS(74, 1, 0)),
     MODS(ALWAYS(MODE, W(MOV)), IS_U32), IMAD_ABC},
    {ALU(IMAD, 0x024), FORMS(F_RIR), WHEN(IS(32, 32, 1), IS(74, 1, 0)),
     MODS(ALWAYS(MODE, W(IADD)), IS_U32), IMAD_ABC},
    {ALU(IMAD, 0x024), FORMS(F_RIR),
     WHEN(IS(48, 16, 1), IS(32, 16, 0), IS(64, 8, 255), IS(74, 1, 0)),
     MODS(ALWAYS(MODE, Q(LO)), IS_U32), IMAD_ABC},
    {ALU(IMAD, 0x024), FORMS(F_RIR),
     WHEN(IS(63, 1, 0), POWER_OF_2(32), IS(64, 8, 255), IS(74, 1, 0)),
     MODS(ALWAYS(MODE, W(SHL)), IS_U32), IMAD_ABC},
    {ALU(IMAD, 0x024), WHEN(IS(74, 1, 0)), MODS(ALWAYS(MODE, Q(LO)), IS_U32), IMAD_ABC},
    {ALU(IMAD, 0x024), MODS(ALWAYS(MODE, Q(LO)), IS_U32, BIT(CARRY_IN, 74, X)),
     SLOTS(RD, A_(0), B_(SIGNED), C_(INV | SIGNED), P(87, 90))},
    {ALU(IMAD, 0x025), WHEN(IS(74, 1, 0)), MODS(ALWAYS(MODE, W(WIDE)), IS_U32),
     SLOTS(RD, PDH(81), A_(0), B_(SIGNED), C_(NEG | SIGNED))},
    {ALU(IMAD, 0x025), MODS(ALWAYS(MODE, W(WIDE)), IS_U32, BIT(CARRY_IN, 74, X)), IMAD_X},
    {ALU(IMAD, 0x027), WHEN(IS(74, 1, 0)), MODS(ALWAYS(MODE, W(HI)), IS_U32),
     SLOTS(RD, PDH(81), A_(0), B_(SIGNED), C_(NEG | SIGNED))},
    {ALU(IMAD, 0x027), MODS(ALWAYS(MODE, W(HI)), IS_U32, BIT(CARRY_IN, 74, X)), IMAD_X},
    {ALU(IDP, 0x026), WHEN(IS(76, 1, 0)),
     MODS(ALWAYS(MODE, W(4A)), EITHER(SRC_TYPE, 73, W(U8), W(S8)),
          EITHER(SRC_TYPE2, 74, W(U8), W(S8)), BIT(SAT, 50, SAT)),
     SLOTS(RD, A_(0), B_(0), C_(NEG))},
    {ALU(IDP, 0x026),
     MODS(ALWAYS(MODE, W(2A)), EITHER(HIGH, 77, W(LO), W(HI)), EITHER(SRC_TYPE, 73, W(U16), W(S16)),
          EITHER(SRC_TYPE2, 74, W(U8), W(S8))),
     SLOTS(RD, A_(0), B_(0), C_(NEG))},

    /* comparisons */
    {ALU(ISETP, 0x00c), FROM(120), WHEN(IS(72, 1, 0), IS(80, 1, 1)),
     MODS(CMP_INT, EITHER(SIGN, 73, W(U64), W(S64)), BOOL), ISETP_SLOTS},
    {ALU(ISETP, 0x00c), TILL(79), MODS(CMP_INT, IS_U32, BOOL, BIT(CARRY_IN, 72, EX)),
     SLOTS(PD(81), PD(84), A_(0), B_(SIGNED), P(87, 90), PH(68, 71))},
    {ALU(ISETP, 0x00c), WHEN(IS(72, 1, 1)), MODS(CMP_INT, IS_U32, BOOL, BIT(CARRY_IN, 72, EX)),
     SLOTS(PD(81), PD(84), A_(0), B_(SIGNED), P(87, 90), P(68, 71))},
    {ALU(ISETP, 0x00c), MODS(CMP_INT, IS_U32, BOOL), ISETP_SLOTS},
    {ALU(IMNMX, 0x017), TILL(89), MODS(IS_U32), SLOTS(RD, A_(0), B_(SIGNED), P(87, 90))},
    {ALU(IMNMX, 0x017), FROM(120), WHEN(IS(74, 1, 1)), MODS(EITHER(TYPE, 73, W(U64), W(S64))),
     SLOTS(PD(81), PD(84), RD, A_(0), B_(SIGNED), P(87, 90), P(77, 80))},
    {ALU(VIMNMX, 0x048), TILL(99), MODS(M(TYPE, 72, 2, vimnmx_types), BIT(RELU, 76, RELU)),
     SLOTS(RD, A_(0), B_(SIGNED), P(87, 90))},
    {ALU(VIMNMX, 0x048), TILL(119), MODS(M(TYPE, 72, 2, vimnmx_types), BIT(RELU, 76, RELU)),
     SLOTS(RD, PD(81), PD(84), A_(0), B_(SIGNED), P(87, 90))},
    {ALU(VIMNMX, 0x048), MODS(M(TYPE, 72, 2, vimnmx_types_100), BIT(RELU, 76, RELU)),
     SLOTS(RD, A_(0), B_(SIGNED), P(87, 90))},
    {ALU(VIMNMX3, 0x00f), MODS(M(TYPE, 72, 2, vimnmx_types), BIT(RELU, 76, RELU)),
     SLOTS(RD, A_(0), B_(SIGNED), C_(SIGNED), P(87, 90))},
    {ALU(VIADDMNMX, 0x046), MODS(M(TYPE, 72, 2, vimnmx_types), BIT(RELU, 76, RELU)),
     SLOTS(RD, A_(0), B_(NEG), C_(0), P(87, 90))},

    /* address arithmetic: shift a and add; .HI takes the upper half of the pair c:a */
    {ALU(LEA, 0x011), WHEN(IS(80, 1, 0), IS(74, 1, 0)),
     SLOTS(RD, PDH(81), A_(NEG), B_(NEG), IMM(75, 5))},
    {ALU(LEA, 0x011), WHEN(IS(80, 1, 0)), MODS(BIT(CARRY_IN, 74, X)),
     SLOTS(RD, PDH(81), A_(INV), B_(INV), IMM(75, 5), P(87, 90))},
    {ALU(LEA, 0x011), WHEN(IS(73, 1, 1), IS(74, 1, 0)),
     MODS(BIT(HIGH, 80, HI), BIT(SIGN, 73, SX32)),
     SLOTS(RD, PDH(81), A_(NEG), B_(NEG), IMM(75, 5))},
    {ALU(LEA, 0x011), WHEN(IS(73, 1, 1)),
     MODS(BIT(HIGH, 80, HI), BIT(CARRY_IN, 74, X), BIT(SIGN, 73, SX32)),
     SLOTS(RD, PDH(81), A_(INV), B_(INV), IMM(75, 5), P(87, 90))},
    {ALU(LEA, 0x011), WHEN(IS(74, 1, 0)), MODS(BIT(HIGH, 80, HI)),
     SLOTS(RD, PDH(81), A_(NEG), B_(NEG | FLAG_NO64), C_(0), IMM(75, 5))},
    {ALU(LEA, 0x011), MODS(BIT(HIGH, 80, HI), BIT(CARRY_IN, 74, X)),
     SLOTS(RD, PDH(81), A_(INV), B_(INV | FLAG_NO64), C_(0), IMM(75, 5), P(87, 90))},

    /* logic: the table of truth is an operand */
    {ALU(LOP3, 0x012), MODS(ALWAYS(LUT, W(LUT)), BIT(BOOL, 80, PAND)),
     SLOTS(PDH(81), RD, A_(0), B_(0), C_(0), IMM(72, 8), P(87, 90))},
    {OP(PLOP3, 0x81c), MODS(ALWAYS(LUT, W(LUT))),
     SLOTS(PD(81), PD(84), P(87, 90), P(77, 80),
           {.kind = SLOT_PMIX, .at = 68, .width = 67, .neg = 71},
           {.kind = SLOT_IMM2, .at = 72, .width = 5, .aux = 64, .ureg = 3}, IMM(16, 8))},
    {ALU(SHF, 0x019),
     MODS(EITHER(DIRECTION, 76, W(L), W(R)), BIT(WRAP, 75, W), M(TYPE, 73, 2, sass_set_shift_type),
          BIT(HIGH, 80, HI)),
     SLOTS(RD, A_(0), B_(0), C_(0))},
    {ALU(SGXT, 0x01a), MODS(BIT(WRAP, 75, W), IS_U32), SLOTS(RD, A_(0), B_(SIGNED))},
    {ALU(BMSK, 0x01b), MODS(BIT(WRAP, 75, W)), SLOTS(RD, A_(0), B_(SIGNED))},
    {ALU(PRMT, 0x016), MODS(M(MODE, 72, 3, sass_set_prmt)), SLOTS(RD, A_(0), B_(0), C_(0))},
    {ALU(POPC, 0x109), SLOTS(RD, B_(INV))}, {ALU(BREV, 0x101), SLOTS(RD, B_(INV))},
    {ALU(FLO, 0x100), MODS(IS_U32, BIT(MODE, 74, SH)), SLOTS(RD, PDH(81), B_(INV))},
    {ALU(VABSDIFF, 0x014), MODS(IS_U32), SLOTS(RD, A_(0), B_(SIGNED), C_(0))},
    {ALU(VABSDIFF4, 0x015), /* sums of absolute differences of bytes */
     MODS(EITHER(TYPE, 73, W(U8), W(S8)), BIT(MODE, 75, ACC)), SLOTS(RD, A_(0), B_(0), C_(0))},

    /* selection and moves */
    {ALU(SEL, 0x007), FORMS(F_RRR | F_RIR | F_RCR | F_RUR), MODS(ALWAYS(SIZE, Q(32))),
     SLOTS(RD, A_(0), B_(0), P(87, 90))},
    {OP(SEL, 0x607), FROM(100), MODS(ALWAYS(SIZE, W(64))),
     SLOTS(RD, R_REUSE(24, 0), R_REUSE(32, 1), P(87, 90))},
    {OP(SEL, 0x407), FROM(100), MODS(ALWAYS(SIZE, W(64))),
     SLOTS(RD, R_REUSE(24, 0), IMMS(32, 33), P(87, 90))},
    {ALU(MOV, 0x002), FORMS(F_RRI), FROM(100), MODS(ALWAYS(SIZE, W(64))),
     SLOTS(RD,
           {.kind = SLOT_IMM2, .at = 64, .width = 24, .aux = 24, .ureg = 40, .flags = FLAG_WHOLE})},
    {ALU(MOV, 0x002), FROM(120), WHEN(IS(80, 1, 1)), MODS(ALWAYS(SIZE, W(64))),
     SLOTS(RD, B_(0), {.kind = SLOT_IMM, .at = 72, .width = 4, .hide = 15})},
    {ALU(MOV, 0x002), SLOTS(RD, B_(0), {.kind = SLOT_IMM, .at = 72, .width = 4, .hide = 15})},
    {OP(P2R, 0x803), MODS(M(MODE, 76, 2, bytes)),
     SLOTS(RD, {.kind = SLOT_PR}, R_REUSE(24, 0), IMM(32, 32))},
    {ALU(R2P, 0x004), SLOTS({.kind = SLOT_PR, .flags = FLAG_DEST},
                            {.kind = SLOT_A, .suffix = bytes, .suffix_at = 76, .suffix_width = 2},
                            {.kind = SLOT_B, .hide = 255})}, );
