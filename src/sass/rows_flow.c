/* rows_flow.c - branches, calls, convergence, barriers and fences. */
#include "sass/rows.h"

static const uint16_t branch_modes[4] = {0, W(U), W(DIV), W(CONV)};
static const uint16_t warpsync_modes[4] = {0, W(EXCLUSIVE), W(COLLECTIVE), BAD};
static const uint16_t exit_modes[4] = {0, W(KEEPREFCOUNT), W(PREEMPTED), BAD};
static const uint16_t reliable[4] = {0, W(RELIABLE), W(RECONVERGENT), BAD};
static const uint16_t bar_modes[8] = {W(SYNC), W(ARV), W(RED), W(SCAN), W(SYNCALL), BAD, BAD, BAD};
static const uint16_t bar_ops[4] = {W(POPC), W(AND), W(OR), BAD};
static const uint16_t bpt_modes[8] = {W(DRAIN), BAD,      W(PAUSE),       W(TRAP),
                                      W(INT),   W(DRAIN), W(PAUSE_QUIET), BAD};
static const uint16_t membar_sem[4] = {W(SC), W(ALL), 0, W(MMIO)};
static const uint16_t membar_scope[8] = {W(CTA), W(SM), W(GPU),     W(SYS),
                                         BAD,    W(VC), W(PARTIAL), BAD};
static const uint16_t cctl_ops[16] = {W(PF1),    W(PF2),   W(WB),     W(IV),   W(IVALL), W(RS),
                                      W(IVALLP), W(WBALL), W(WBALLP), W(PML2), W(DML2),  W(RML2),
                                      BAD,       BAD,      BAD,       BAD};
static const uint16_t cctl_cache[8] = {0, W(U), W(C), W(I), BAD, BAD, BAD, BAD};

#define PP PH(87, 90)
#define LABEL                                                                                      \
    {                                                                                              \
        .kind = SLOT_LABEL                                                                         \
    }
#define OFFSET                                                                                     \
    {                                                                                              \
        .kind = SLOT_OFFSET, .flags = FLAG_SPACE | FLAG_HIDE_T                                     \
    }
#define BAR(a)                                                                                     \
    {                                                                                              \
        .kind = SLOT_BAR, .at = a, .width = 4                                                      \
    }
#define STATE                                                                                      \
    {                                                                                              \
        .kind = SLOT_STATE, .at = 24, .width = 6                                                   \
    }
#define NOINC    BIT(NOINC, 86, NOINC)
#define BAR_MODE M(MODE, 77, 3, bar_modes)
#define DEFER    BIT(OPTION1, 80, DEFER_BLOCKING)
#define BAR_RED  M(FUNCTION, 74, 2, bar_ops)
#define RELIABLE M(MODE, 72, 2, reliable)

#define BAR_ROWS(code, ...)                                                                        \
    {OP(BAR, code), WHEN(IS(77, 3, 2)), MODS(BAR_MODE, BAR_RED, DEFER),                            \
     SLOTS(__VA_ARGS__, P(87, 90))},                                                               \
        {OP(BAR, code), WHEN(IS(77, 3, 3)), MODS(BAR_MODE, DEFER), SLOTS(__VA_ARGS__, P(87, 90))}, \
        {OP(BAR, code), WHEN(IS(77, 3, 4)), MODS(BAR_MODE, DEFER)},                                \
    {                                                                                              \
        OP(BAR, code), MODS(BAR_MODE, DEFER), SLOTS(__VA_ARGS__)                                   \
    }

ROWS(flow, {OP0(BRA, 0x947), MODS(M(MODE, 32, 2, branch_modes)), SLOTS(PP, LABEL)},
     {OP1(BRA, 0x947), MODS(M(MODE, 32, 2, branch_modes)),
      SLOTS(PP, {.kind = SLOT_UR, .at = 24, .neg = 30, .flags = FLAG_INV}, LABEL)},
     {OP(BRA, 0x547), MODS(M(MODE, 32, 2, branch_modes), BIT(OPTION1, 84, ANY)),
      SLOTS(PP, UP(24, 27), LABEL)},
     {OP(BRX, 0x949), MODS(BIT(NOINC, 85, INC)), SLOTS(PP, R(24), OFFSET)},
     {OP(BRXU, 0x958), MODS(M(MODE, 32, 2, branch_modes)), SLOTS(PP, UR(24), OFFSET)},
     {OP(JMP, 0x94a), SLOTS(PP, {.kind = SLOT_TARGET})}, {OP(JMX, 0x94c), SLOTS(PP, R(24), OFFSET)},
     {OP(JMXU, 0x959), MODS(M(MODE, 32, 2, branch_modes)), SLOTS(PP, UR(24), OFFSET)},
     {OP(CALL, 0x944), MODS(ALWAYS(MODE, W(REL)), NOINC), SLOTS(PP, LABEL)},
     {OP(CALL, 0x943), MODS(ALWAYS(MODE, W(ABS)), NOINC), SLOTS(PP, {.kind = SLOT_TARGET})},
     {OP(CALL, 0x344), MODS(ALWAYS(MODE, W(REL)), NOINC),
      SLOTS(PP, R(24), {.kind = SLOT_LABEL, .flags = FLAG_SPACE})},
     {OP(CALL, 0x343), MODS(ALWAYS(MODE, W(ABS)), NOINC),
      SLOTS(PP, R(24), {.kind = SLOT_TARGET, .flags = FLAG_SPACE | FLAG_HIDE_T})},
     {OP(RET, 0x950), WHEN(IS(85, 1, 0)), MODS(ALWAYS(MODE, W(REL)), BIT(NOINC, 86, NODEC)),
      SLOTS(PP, R(24), {.kind = SLOT_LABEL, .flags = FLAG_SPACE})},
     {OP(RET, 0x950), MODS(ALWAYS(MODE, W(ABS)), BIT(NOINC, 86, NODEC)),
      SLOTS(PP, R(24), {.kind = SLOT_TARGET, .flags = FLAG_SPACE})},
     {OP(EXIT, 0x94d), MODS(M(MODE, 84, 2, exit_modes), BIT(OPTION1, 86, NO_ATEXIT)), SLOTS(PP)},
     {OP(KILL, 0x95b), SLOTS(PP)}, {OP(LEPC, 0x34e), SLOTS(RD)},
     {OP(LEPC, 0x94e), SLOTS(RD, {.kind = SLOT_LABEL24})}, {OP1(ULEPC, 0x3ce), SLOTS(URD)},
     {OP1(ULEPC, 0x9ce), SLOTS(URD, {.kind = SLOT_LABEL24})},

     {OP(BSSY, 0x945), MODS(RELIABLE), SLOTS(PP, BAR(16), {.kind = SLOT_LABEL30})},
     {OP(BSYNC, 0x941), MODS(RELIABLE), SLOTS(PP, BAR(16))},
     {OP(BREAK, 0x942), MODS(RELIABLE), SLOTS(PP, BAR(16))},
     {OP(BMOV, 0x355), MODS(ALWAYS(SIZE, W(32)), BIT(CLEAR, 84, CLEAR)), SLOTS(RD, STATE)},
     {OP(BMOV, 0x356), MODS(ALWAYS(SIZE, W(32)), BIT(QUAD, 84, PQUAD)), SLOTS(STATE, R(32))},
     {OP(BMOV, 0x956), MODS(ALWAYS(SIZE, W(32)), BIT(QUAD, 84, PQUAD)), SLOTS(STATE, IMM(32, 32))},
     {OP(BMOV, 0xf55), MODS(ALWAYS(SIZE, W(32)), BIT(CLEAR, 84, CLEAR)), SLOTS(BAR(16), STATE)},
     {OP(BMOV, 0xf56), MODS(ALWAYS(SIZE, W(32)), BIT(QUAD, 84, PQUAD)), SLOTS(STATE, BAR(16))},
     {OP(BMOV, 0x357), MODS(ALWAYS(SIZE, W(64))), SLOTS(STATE, R(32))},
     {OP(WARPSYNC, 0x948), TILL(89), MODS(M(MODE, 85, 2, warpsync_modes)), SLOTS(PP, IMM(32, 32))},
     {OP(WARPSYNC, 0x348), TILL(89), MODS(M(MODE, 85, 2, warpsync_modes)), SLOTS(PP, R(32))},
     {OP(WARPSYNC, 0x948), WHEN(IS(85, 2, 2)),
      MODS(M(MODE, 85, 2, warpsync_modes), ALWAYS(OPTION1, W(ALL))), SLOTS(PP, LABEL)},
     {OP(WARPSYNC, 0x948), MODS(M(MODE, 85, 2, warpsync_modes), ALWAYS(OPTION1, W(ALL))),
      SLOTS(PP)},
     {OP(WARPSYNC, 0x348), WHEN(IS(85, 2, 2)), MODS(M(MODE, 85, 2, warpsync_modes)),
      SLOTS(PP, R(24), LABEL)},
     {OP(WARPSYNC, 0x348), MODS(M(MODE, 85, 2, warpsync_modes)), SLOTS(PP, R(24))},
     {OP(ENDCOLLECTIVE, 0x91b), SLOTS(PP)}, {OP(YIELD, 0x946), SLOTS(PP)},
     {OP(NANOSLEEP, 0x95d), WHEN(IS(83, 1, 1)), MODS(BIT(CLEAR, 83, CLEAR)), SLOTS(PP)},
     {OP(NANOSLEEP, 0x95d),
      MODS(BIT(OPTION1, 84, SYNCS), BIT(MODE, 85, WARP), BIT(OPTION2, 86, RAND)),
      SLOTS(PP, IMM(32, 32))},
     {OP(NANOSLEEP, 0x35d),
      MODS(BIT(OPTION1, 84, SYNCS), BIT(MODE, 85, WARP), BIT(OPTION2, 86, RAND)), SLOTS(PP, R(32))},
     {OP(NOP, 0x918)}, {OP(BPT, 0x95c), MODS(M(MODE, 84, 3, bpt_modes)), SLOTS(IMM(34, 3))},
     {OP(PREEXIT, 0x82d)}, {OP(ACQBULK, 0x82e)},

     /* barriers of a block: number and threads from immediates or registers */
     BAR_ROWS(0xb1d, IMM(54, 4), IMMH(42, 12)), BAR_ROWS(0x91d, IMM(54, 4), R(32)),
     BAR_ROWS(0x51d, R(32), IMMH(42, 12)), BAR_ROWS(0x31d, R(32), R(32)),
     {OP(B2R, 0x31c), WHEN(IS(77, 3, 2)), MODS(ALWAYS(MODE, W(RESULT))), SLOTS(RD, PDH(81))},

     {OP(DEPBAR, 0x91a), WHEN(IS(47, 1, 1)), MODS(BIT(MODE, 47, LE)),
      SLOTS({.kind = SLOT_SB, .at = 44, .width = 3}, IMM(38, 6),
            {.kind = SLOT_SBS, .at = 32, .width = 6, .flags = FLAG_HIDE_T})},
     {OP(DEPBAR, 0x91a), SLOTS({.kind = SLOT_SBS, .at = 32, .width = 6})},
     {OP(MEMBAR, 0x992), MODS(M(SEM, 79, 2, membar_sem), M(SCOPE, 76, 3, membar_scope))},
     {OP(ERRBAR, 0x9ab)}, {OP(CGAERRBAR, 0x5ab)},
     {OP(FENCE, 0x3c6),
      MODS(ALWAYS(MODE, W(VIEW)), ALWAYS(OPTION1, W(ASYNC)), EITHER(OPTION2, 72, W(S), W(G)))},
     {OP(CCTL, 0x98f), WHEN(IS(87, 4, 4)),
      MODS(BIT(EXTENDED, 72, E), M(OPTION1, 78, 3, cctl_cache), M(MODE, 87, 4, cctl_ops))},
     {OP(CCTL, 0x98f), WHEN(IS(89, 2, 1), NOT_ONES(87, 2), IS(87, 1, 0)),
      MODS(BIT(EXTENDED, 72, E), M(OPTION1, 78, 3, cctl_cache), M(MODE, 87, 4, cctl_ops))},
     {OP0(CCTL, 0x98f),
      MODS(BIT(EXTENDED, 72, E), M(OPTION1, 78, 3, cctl_cache), M(MODE, 87, 4, cctl_ops)),
      SLOTS({.kind = SLOT_MEM, .at = 24, .aux = 32, .width = 32})}, );
