/* rows_float.c - arithmetic on f32 and f64. */
#include "sass/rows.h"

#define FTZ   BIT(FTZ, 80, FTZ)
#define ROUND M(ROUND, 78, 2, sass_set_round)
#define SAT   BIT(SAT, 77, SAT)
#define DNZ   M2(DNZ, 76, 1, 80, 1, dnz)
#define SIGNS (NEG | ABS)
#define CMP   M(CMP, 76, 4, sass_set_compare_float)
#define BOOL  M(BOOL, 74, 2, sass_set_bool)

/* Bit 76 with bit 80: flush denormals, or that and zero times anything is zero. */
static const uint16_t dnz[4] = {0, BAD, W(FTZ), W(FMZ)};
static const uint16_t scales[8] = {BAD, W(D8), W(D4), W(D2), 0, W(M8), W(M4), W(M2)};
static const uint16_t mufu[64] = {W(COS),    W(SIN),    W(EX2),  W(LG2),  W(RCP), W(RSQ),
                                  W(RCP64H), W(RSQ64H), W(SQRT), W(TANH), BAD,    BAD,
                                  BAD,       BAD,       BAD,     BAD};

static const uint16_t dsetp[16] = {W(MIN), W(LT),  W(EQ),  W(LE),  W(GT),  W(NE),  W(GE),  W(NUM),
                                   W(NAN), W(LTU), W(EQU), W(LEU), W(GTU), W(NEU), W(GEU), W(MAX)};

ROWS(float,
     {ALU(FMNMX3, 0x076), MODS(FTZ, BIT(NAN, 81, NAN)),
      SLOTS(RD, A_(SIGNS), B_(SIGNS | FLOAT), C_(SIGNS | FLOAT), P(87, 90))},
     {ALU(FADD, 0x021), MODS(FTZ, ROUND, SAT), SLOTS(RD, A_(SIGNS), BC_(SIGNS | FLOAT))},
     {ALU(FMUL, 0x020), MODS(DNZ, M(SCALE, 84, 3, scales), ROUND, SAT),
      SLOTS(RD, A_(SIGNS), B_(SIGNS | FLOAT))},
     {ALU(FFMA, 0x023), MODS(DNZ, ROUND, SAT),
      SLOTS(RD, A_(SIGNS), B_(SIGNS | FLOAT), C_(SIGNS | FLOAT))},
     {ALU(FMNMX, 0x009), TILL(79), MODS(FTZ), SLOTS(RD, A_(SIGNS), B_(SIGNS | FLOAT), P(87, 90))},
     {ALU(FMNMX, 0x009), MODS(FTZ, BIT(NAN, 81, NAN), BIT(XORSIGN, 82, XORSIGN)),
      SLOTS(RD, A_(SIGNS), B_(SIGNS | FLOAT), P(87, 90))},
     {ALU(FSEL, 0x008), MODS(FTZ), SLOTS(RD, A_(SIGNS), B_(SIGNS | FLOAT), P(87, 90))},
     {ALU(FSETP, 0x00b), MODS(CMP, FTZ, BOOL),
      SLOTS(PD(81), PD(84), A_(SIGNS), B_(SIGNS | FLOAT), P(87, 90))},
     {ALU(FSET, 0x00a), MODS(ALWAYS(TYPE, W(BF)), CMP, FTZ, BOOL),
      SLOTS(RD, A_(SIGNS), B_(SIGNS | FLOAT), P(87, 90))},
     {ALU(MUFU, 0x108), WHEN(IS(75, 5, 3)),
      MODS(M(FUNCTION, 74, 6, mufu)), /* upper halves of f64 */
      SLOTS(RD, B_(SIGNS | DOUBLE))},
     {ALU(MUFU, 0x108), MODS(M(FUNCTION, 74, 6, mufu)), SLOTS(RD, B_(SIGNS | FLOAT))},
     {ALU(FCHK, 0x102), SLOTS(PD(81), A_(SIGNS), B_(SIGNS | FLOAT))},
     {OP(FSWZADD, 0x822), MODS(FTZ, ROUND, BIT(TEX_NDV, 77, NDV)),
      SLOTS(RD, R(24), R(64), IMM(32, 8))},
     {ALU(DADD, 0x029), MODS(ROUND), SLOTS(RD, A_(SIGNS), C_(SIGNS | DOUBLE))},
     {ALU(DMUL, 0x028), MODS(ROUND), SLOTS(RD, A_(SIGNS), B_(SIGNS | DOUBLE))},
     {ALU(DFMA, 0x02b), MODS(ROUND), SLOTS(RD, A_(SIGNS), B_(SIGNS | DOUBLE), C_(SIGNS | DOUBLE))},
     {ALU(DSETP, 0x02a), MODS(M(CMP, 76, 4, dsetp), BOOL),
      SLOTS(PD(81), PD(84), A_(SIGNS), BC_(SIGNS | DOUBLE), P(87, 90))}, );
