/* rows_atomic.c - atomics and reductions in memory. */
#include "sass/rows.h"

/* An integer addition of 32 bits is the usual type. The float types print their rounding too. */
static const uint16_t types[8] = {Q(U32), W(S32), W(64), W(F32), W(F16x2), W(S64), W(F64), BAD};
static const uint16_t type_ftz[8] = {[3] = W(FTZ)};
static const uint16_t type_round[8] = {[3] = W(RN), [4] = W(RN), [6] = W(RN)};
static const uint16_t float_ops[16] = {W(ADD), 0, W(MIN), 0, W(MAX)};
static const uint16_t float_types[16] = {
    W(F16x2), W(F16x4), W(F16x8), W(BF16x2), W(BF16x4), W(BF16x8), BAD, BAD,
    BAD,      W(F32),   W(F32x2), W(F32x4),  BAD,       BAD,       BAD, W(F64)};
static const uint16_t float_ftz[16] = {[9] = W(FTZ), [10] = W(FTZ), [11] = W(FTZ)};

#define CACHE    M(CACHE, 84, 3, sass_set_cache)
#define OPCODE   M(FUNCTION, 87, 4, sass_set_atomic)
#define RED_OP   M(FUNCTION, 87, 3, sass_set_atomic)
#define TYPE     M(TYPE, 73, 3, types), M(FTZ, 73, 3, type_ftz), M(ROUND, 73, 3, type_round)
#define FTYPE    M(TYPE, 73, 4, float_types), M(FTZ, 73, 4, float_ftz), ALWAYS(ROUND, W(RN))
#define CAS_TYPE M(TYPE, 73, 3, types)

/* Blackwell: the uniform register has eight bits, so the width of the address moved to bit 63. */
#define ADDRESS_100                                                                                \
    {                                                                                              \
        .kind = SLOT_MEM_U, .at = 24, .aux = 40, .width = 23, .ureg = 64, .neg = 63, .desc = 76,   \
        .flags = FLAG_WIDE64                                                                       \
    }
#define ATOM_100(name, uniform)                                                                    \
    {                                                                                              \
        OP1(name, uniform), FROM(100), MODS(E_BIT, OPCODE, TYPE, SEM_80),                          \
            SLOTS(PD(81), RD, ADDRESS_100, R(32))                                                  \
    }
#define ATOM_ROWS(name, code, cas, uniform, wide)                                                  \
    {OP0(name, code), TILL(79), MODS(E_BIT, OPCODE, TYPE, SEM_75),                                 \
     SLOTS(PD(81), RD, MEM(0), R(32))},                                                            \
        {OP0(name, code), MODS(E_BIT, OPCODE, TYPE, SEM_80), SLOTS(PD(81), RD, MEM(0), R(32))},    \
        {OP1(name, uniform), TILL(79), MODS(E_BIT, OPCODE, TYPE, SEM_75),                          \
         SLOTS(PD(81), RD, MEMD_(64, wide, 71), R(32))},                                           \
        {OP1(name, uniform), MODS(E_BIT, OPCODE, TYPE, SEM_80),                                    \
         SLOTS(PD(81), RD, MEMD_(64, wide, 71), R(32))},                                           \
        {OP0(name, cas), TILL(79), MODS(E_BIT, ALWAYS(FUNCTION, W(CAS)), CAS_TYPE, SEM_75),        \
         SLOTS(PD(81), RD, MEM(0), R(32), R(64))},                                                 \
    {                                                                                              \
        OP0(name, cas), MODS(E_BIT, ALWAYS(FUNCTION, W(CAS)), CAS_TYPE, SEM_80),                   \
            SLOTS(PD(81), RD, MEM(0), R(32), R(64))                                                \
    }

ROWS(atomic, ATOM_100(ATOMG, 0x9a8), ATOM_100(ATOM, 0x98a),
     {OP1(ATOMG, 0x9a3), FROM(100), MODS(E_BIT, M(FUNCTION, 87, 4, float_ops), FTYPE, SEM_80),
      SLOTS(PD(81), RD, ADDRESS_100, R(32))},
     {OP1(REDG, 0x98e), FROM(100), MODS(E_BIT, RED_OP, TYPE, SEM_80),
      SLOTS(MEMD_(64, 90, 81), R(32))},
     {OP1(REDG, 0x9a6), FROM(100), MODS(E_BIT, M(FUNCTION, 87, 3, float_ops), FTYPE, SEM_80),
      SLOTS(MEMD_(64, 90, 81), R(32))},
     ATOM_ROWS(ATOMG, 0x3a8, 0x3a9, 0x9a8, 70), ATOM_ROWS(ATOM, 0x38a, 0x38b, 0x98a, 70),
     {OP1(ATOMG, 0x9a3), FROM(90), MODS(E_BIT, M(FUNCTION, 87, 4, float_ops), FTYPE, SEM_80),
      SLOTS(PD(81), RD, MEMD_(64, 70, 71), R(32))},
     {OP1(ATOM, 0x9a2), FROM(90), MODS(E_BIT, M(FUNCTION, 87, 4, float_ops), FTYPE, SEM_80),
      SLOTS(PD(81), RD, MEMD_(64, 70, 71), R(32))},
     {OP1(RED, 0x98e), TILL(79), MODS(E_BIT, RED_OP, TYPE, SEM_75),
      SLOTS(MEMD_(64, 90, 71), R(32))},
     {OP1(RED, 0x98e), TILL(89), MODS(E_BIT, RED_OP, TYPE, SEM_80),
      SLOTS(MEMD_(64, 90, 71), R(32))},
     {OP1(REDG, 0x98e), MODS(E_BIT, RED_OP, TYPE, SEM_80), SLOTS(MEMD_(64, 90, 71), R(32))},
     {OP1(REDG, 0x9a6), MODS(E_BIT, M(FUNCTION, 87, 3, float_ops), FTYPE, SEM_80),
      SLOTS(MEMD_(64, 90, 71), R(32))},
     {OP0(RED, 0x98e), TILL(79), MODS(E_BIT, RED_OP, TYPE, SEM_75), SLOTS(MEM(0), R(32))},
     {OP0(RED, 0x98e), MODS(E_BIT, RED_OP, TYPE, SEM_80), SLOTS(MEM(0), R(32))},

     {OP0(ATOMS, 0x38c), MODS(OPCODE, TYPE), SLOTS(RD, MEM(FLAG_X), R(32))},
     {OP1(ATOMS, 0x98c), MODS(OPCODE, TYPE), SLOTS(RD, MEMU(64, FLAG_X), R(32))},
     {OP0(ATOMS, 0x38d), WHEN(IS(87, 1, 0)), MODS(ALWAYS(FUNCTION, W(CAS)), CAS_TYPE),
      SLOTS(RD, MEM(FLAG_X), R(32), R(64))},
     {OP0(ATOMS, 0x38d), MODS(ALWAYS(FUNCTION, W(CAST)), BIT(MODE, 88, SPIN), CAS_TYPE),
      SLOTS(RD, MEM(FLAG_X), R(32), R(64))},
     {OP1(ATOM, 0xf8a), WHEN(IS(87, 4, 9)),
      MODS(E_BIT, ALWAYS(FUNCTION, W(ARRIVE)), CAS_TYPE, SEM_80),
      SLOTS(PD(81), RD, MEMD_(64, 70, 71))},
     {OP1(ATOM, 0xf8a),
      MODS(E_BIT, ALWAYS(FUNCTION, W(POPC)), ALWAYS(MODE, W(INC)), ALWAYS(TYPE, W(32)), SEM_80),
      SLOTS(PD(81), RD, MEMD_(64, 70, 71))},
     {OP1(ATOMS, 0xf8c), WHEN(IS(87, 4, 9)), MODS(ALWAYS(FUNCTION, W(ARRIVE)), CAS_TYPE),
      SLOTS(RD, MEMU(64, FLAG_X))},
     {OP1(ATOMS, 0xf8c), MODS(ALWAYS(FUNCTION, W(POPC)), ALWAYS(MODE, W(INC)), ALWAYS(TYPE, W(32))),
      SLOTS(RD, MEMU(64, FLAG_X))}, );
