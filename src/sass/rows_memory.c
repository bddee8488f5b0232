/* rows_memory.c - loads and stores of all spaces, asynchronous copies, constants. */
#include "sass/rows.h"

static const uint16_t unaligned[8] = {[7] = W(U)};
static const uint16_t sizes_100[4] = {Q(32), W(64), W(128), BAD};
static const uint16_t arrive_counts[4] = {0, W(ARVCNT), W(TRANSCNT), BAD};
static const uint16_t matrices[4] = {0, W(2), W(4), BAD};
static const uint16_t ldc_modes[4] = {0, W(IL), W(IS), W(ISL)};
static const uint16_t ldsm_modes[8] = {W(M88), W(MT88), BAD, BAD, BAD, BAD, BAD, BAD};

#define SIZE      M(SIZE, 73, 3, sass_set_size)
#define CACHE     M(CACHE, 84, 3, sass_set_cache)
#define PREFETCH  M(PREFETCH, 68, 2, sass_set_prefetch)
#define UNALIGNED BIT(OPTION1, 76, U)
#define PNZ                                                                                        \
    {                                                                                              \
        .kind = SLOT_PREV, .at = 64, .neg = 67, .flags = FLAG_HIDE_T                               \
    }
#define MEM32                                                                                      \
    {                                                                                              \
        .kind = SLOT_MEM, .at = 24, .aux = 32, .width = 32                                         \
    }

#define LDGSTS_MODS(prefetch, size)                                                                \
    MODS(ALWAYS(EXTENDED, W(E)), CACHE, BIT0(BYPASS, 81, BYPASS),                                  \
         M(PREFETCH, prefetch, 2, sass_set_prefetch), size, SEM_80, BIT(ZFILL, 82, ZFILL))
#define SHARED_TO                                                                                  \
    {                                                                                              \
        .kind = SLOT_MEM, .at = 16, .aux = 44, .width = 20                                         \
    }
#define GLOBAL_FROM(wide)                                                                          \
    {                                                                                              \
        .kind = SLOT_MEM_U, .at = 24, .aux = 32, .width = 12, .ureg = 64, .neg = wide, .desc = 76, \
        .flags = FLAG_WIDE64                                                                       \
    }

#define WIDE_ADDRESS(u)                                                                            \
    {                                                                                              \
        .kind = SLOT_MEM_U, .at = 24, .aux = 40, .width = 17, .ureg = u, .neg = 91, .desc = 76,    \
        .flags = FLAG_WIDE64 | FLAG_UNIT32                                                         \
    }

#define LDG_75 MODS(E_BIT, CACHE, PREFETCH, M(OPTION1, 73, 3, unaligned), SIZE, SEM_75)
#define LDG_80 MODS(E_BIT, CACHE, PREFETCH, SIZE, SEM_80)
#define STG_75 MODS(E_BIT, CACHE, SIZE, SEM_75)
#define STG_80 MODS(E_BIT, CACHE, SIZE, SEM_80)

ROWS(memory, {OP0(LDG, 0x381), TILL(79), LDG_75, SLOTS(PDH(81), RD, MEM(0), PNZ)},
     {OP1(LDG, 0x981), TILL(79), LDG_75, SLOTS(PDH(81), RD, MEMD(32, 90), PNZ)},
     {OP0(LDG, 0x381), LDG_80, SLOTS(PDH(81), RD, MEM(0), PNZ)},
     {OP1(LDG, 0x981), LDG_80, SLOTS(PDH(81), RD, MEMD(32, 90), PNZ)},
     {OP0(STG, 0x386), TILL(79), STG_75, SLOTS(MEM(0), R(32))},
     {OP1(STG, 0x986), TILL(79), STG_75, SLOTS(MEMD(64, 90), R(32))},
     {OP0(STG, 0x386), STG_80, SLOTS(MEM(0), R(32))},
     {OP1(STG, 0x986), STG_80, SLOTS(MEMD(64, 90), R(32))},

     {OP0(LD, 0x980), TILL(79), STG_75, SLOTS(RD, MEM32, PNZ)},
     {OP1(LD, 0x980), TILL(79), STG_75, SLOTS(RD, MEMD(32, 90), PNZ)},
     {OP0(LD, 0x980), STG_80, SLOTS(RD, MEM32, PNZ)},
     {OP1(LD, 0x980), STG_80, SLOTS(RD, MEMD(32, 90), PNZ)},
     {OP0(ST, 0x385), TILL(79), STG_75, SLOTS(MEM32, R(64))},
     {OP1(ST, 0x985), TILL(79), STG_75, SLOTS(MEMD(64, 90), R(32))},
     {OP0(ST, 0x385), STG_80, SLOTS(MEM32, R(64))},
     {OP1(ST, 0x985), STG_80, SLOTS(MEMD(64, 90), R(32))},

     {OP0(LDL, 0x983), MODS(CACHE, SIZE), SLOTS(RD, MEM(0))},
     {OP1(LDL, 0x983), MODS(CACHE, SIZE), SLOTS(RD, MEMU(32, 0))},
     {OP0(STL, 0x387), MODS(CACHE, SIZE), SLOTS(MEM(0), R(32))},
     {OP1(STL, 0x987), MODS(CACHE, SIZE), SLOTS(MEMU(64, 0), R(32))},
     {OP0(LDS, 0x984), MODS(UNALIGNED, SIZE), SLOTS(RD, MEM(FLAG_X))},
     {OP1(LDS, 0x984), MODS(UNALIGNED, SIZE), SLOTS(RD, MEMU(32, FLAG_X))},
     {OP0(STS, 0x388), MODS(SIZE), SLOTS(MEM(FLAG_X), R(32))},
     {OP1(STS, 0x988), MODS(SIZE), SLOTS(MEMU(64, FLAG_X), R(32))},
     {OP0(LDSM, 0x83b),
      MODS(ALWAYS(SIZE, W(16)), M(TRANSPOSE, 78, 3, ldsm_modes), M(COUNT_OF, 72, 2, matrices)),
      SLOTS(RD, MEM(0))},
     {OP1(LDSM, 0x83b),
      MODS(ALWAYS(SIZE, W(16)), M(TRANSPOSE, 78, 3, ldsm_modes), M(COUNT_OF, 72, 2, matrices)),
      SLOTS(RD, MEMU(32, 0))},
     {OP0(STSM, 0x844),
      MODS(ALWAYS(SIZE, W(16)), M(TRANSPOSE, 78, 3, ldsm_modes), M(COUNT_OF, 72, 2, matrices)),
      SLOTS(MEM(0), R(32))},
     {OP1(STSM, 0x844),
      MODS(ALWAYS(SIZE, W(16)), M(TRANSPOSE, 78, 3, ldsm_modes), M(COUNT_OF, 72, 2, matrices)),
      SLOTS(MEMU(64, 0), R(32))},

     /* global to shared memory past the registers; a false predicate fills with zeros */
     {OP1(LDGSTS, 0xfae), TILL(99), LDGSTS_MODS(71, M(SIZE, 73, 3, sass_set_size)),
      SLOTS(SHARED_TO, GLOBAL_FROM(70), PH(87, 90))},
     {OP1(LDGSTS, 0xfae), LDGSTS_MODS(72, M(SIZE, 74, 2, sizes_100)),
      SLOTS(SHARED_TO, GLOBAL_FROM(83), PH(87, 90))},
     {OP1(LDGSTS, 0xdae), TILL(99), LDGSTS_MODS(71, M(SIZE, 73, 3, sass_set_size)),
      SLOTS({.kind = SLOT_MEM_U, .at = 16, .aux = 44, .width = 20, .ureg = 64},
            {.kind = SLOT_MEM,
             .at = 24,
             .aux = 32,
             .width = 12,
             .ureg = 64,
             .neg = 70,
             .desc = 76,
             .flags = FLAG_WIDE64},
            PH(87, 90))},
     {OP(LDGDEPBAR, 0x9af)},
     {OP1(ARRIVES, 0x9b0),
      MODS(ALWAYS(MODE, W(LDGSTSBAR)), SIZE, M(COUNT_OF, 70, 2, arrive_counts)),
      SLOTS(MEMU(64, 0))},

     /* 256 bits in two halves, on Blackwell */
     {OP1(LDG, 0x97e), FROM(100),
      MODS(E_BIT, ALWAYS(OPTION1, W(ENL2)), ALWAYS(SIZE, W(256)), SEM_80),
      SLOTS({.kind = SLOT_R, .at = 64, .flags = FLAG_DEST}, RD, WIDE_ADDRESS(32))},
     {OP1(STG, 0x97f), FROM(100),
      MODS(ALWAYS(EXTENDED, W(E)), ALWAYS(OPTION1, W(ENL2)), ALWAYS(SIZE, W(256)), SEM_80),
      SLOTS(WIDE_ADDRESS(64), R(32), R(16))},

     {OP(LDC, 0xb82), MODS(M(MODE, 78, 2, ldc_modes), SIZE),
      SLOTS(RD, {.kind = SLOT_CONST_IDX, .flags = FLAG_ZERO | FLAG_SIGNED})}, );
