/* rows_texture.c - textures and surfaces. The handle is in a constant bank, in a uniform register
 * or, bindless (.B), in a register. */
#include "sass/rows.h"

static const uint16_t shapes[8] = {W(1D),       W(2D),       W(3D),       W(CUBE),
                                   W(ARRAY_1D), W(ARRAY_2D), W(ARRAY_3D), W(ARRAY_CUBE)};
static const uint16_t lods[8] = {0, W(LZ), W(LB), W(LL), W(LC), W(UB), W(UL), W(LBA)};
static const uint16_t lods_100[16] = {0, W(LZ), W(LB), W(LL), W(LC), W(UB), W(UL), W(LBA)};
static const uint16_t components[4] = {W(R), W(G), W(B), W(A)};
static const uint16_t offsets[4] = {0, W(AOFFI), W(PTP), BAD};
static const uint16_t queries[4] = {W(TEX_HEADER_DIMENSION), W(TEX_HEADER_TEXTURE_TYPE),
                                    W(TEX_HEADER_SAMPLER_POS), BAD};
static const uint16_t surface_shapes[8] = {W(1D),       W(1D_BUFFER), W(1D_ARRAY), W(2D),
                                           W(2D_ARRAY), W(3D),        BAD,         BAD};
static const uint16_t outside[4] = {W(IGN), Q(NEAR), W(TRAP), BAD};
static const uint16_t channels[16] = {[1] = W(R), [3] = W(RG), [15] = Q(RGBA)};
static const uint16_t spaces[4] = {W(G), W(L), W(S), BAD};

#define RD2                                                                                        \
    {                                                                                              \
        .kind = SLOT_R, .at = 64, .flags = FLAG_DEST                                               \
    }
#define RB         R_(32, FLAG_HIDE_T)
#define BOUND      IMM(54, 5), IMM(40, 14)
#define UBOUND     UR(40), IMM(48, 6)
#define UBOUND_100 UR(40), UR_(48, FLAG_HIDE_T)
#define SHAPE      WORDOP(61, 3, shapes)
#define MASK                                                                                       \
    {                                                                                              \
        .kind = SLOT_IMM, .at = 72, .width = 4, .hide = 15                                         \
    }
#define SCR      BIT(TEX_FLAGS, 60, SCR)
#define LOD      M(TEX_LOD, 87, 3, lods)
#define LOD_100  M2(TEX_LOD, 59, 1, 87, 3, lods_100)
#define AOFFI    BIT(TEX_OFFSET, 76, AOFFI)
#define NDV      BIT(TEX_NDV, 77, NDV)
#define DC       BIT(TEX_DC, 78, DC)
#define BINDLESS BIT(BINDLESS, 59, B)
#define NODEP    BIT(OPTION1, 90, NODEP)

#define TEX_SLOTS(...) SLOTS(PDH(81), RD2, RD, R(24), RB, __VA_ARGS__, SHAPE, MASK)
#define TEX_BINDLESS   SLOTS(PDH(81), RD2, RD, R(24), R(32), SHAPE, MASK)

/* The three handles; `bound`, `uniform` and `bindless` are the opcodes. */
#define TEX_ROWS(name, bound, uniform, bindless, ...)                                              \
    {OP0(name, bound), MODS(__VA_ARGS__, NODEP), TEX_SLOTS(BOUND)},                                \
    {                                                                                              \
        OP1(name, uniform), TILL(99), MODS(__VA_ARGS__, NODEP), TEX_SLOTS(UBOUND)                  \
    }

#define SU_MODS(...) MODS(__VA_ARGS__, M(OUT_OF_RANGE, 59, 2, outside))
#define SU_D                                                                                       \
    ALWAYS(MODE, W(D)), ALWAYS(OPTION1, W(BA)), M(SHAPE, 61, 3, surface_shapes),                   \
        M(SIZE, 73, 3, sass_set_size)
#define SU_P     ALWAYS(MODE, W(P)), M(SHAPE, 61, 3, surface_shapes)
#define CHANNELS M(COUNT_OF, 72, 4, channels)
#define ADDRESS                                                                                    \
    {                                                                                              \
        .kind = SLOT_MEM, .at = 24                                                                 \
    }

#define SULD_ROWS(...)                                                                             \
    {OP0(SULD, 0xb99), __VA_ARGS__, SLOTS(PDH(81), RD, ADDRESS, BOUND)},                           \
        {OP1(SULD, 0xf99), __VA_ARGS__, SLOTS(PDH(81), RD, ADDRESS, UBOUND)},                      \
    {                                                                                              \
        OP0(SULD, 0x99a), __VA_ARGS__, SLOTS(PDH(81), RD, ADDRESS, R(64))                          \
    }
#define SUST_ROWS(bound, uniform, bindless, ...)                                                   \
    {OP0(SUST, bound), __VA_ARGS__, SLOTS(ADDRESS, R(32), BOUND)},                                 \
        {OP1(SUST, uniform), __VA_ARGS__, SLOTS(ADDRESS, R(32), UBOUND)},                          \
    {                                                                                              \
        OP0(SUST, bindless), __VA_ARGS__, SLOTS(ADDRESS, R(32), R(64))                             \
    }

ROWS(texture, TEX_ROWS(TEX, 0xb60, 0xf60, 0x361, SCR, LOD, AOFFI, DC, NDV),
     {OP1(TEX, 0xf60), MODS(SCR, LOD_100, AOFFI, DC, NDV, NODEP), TEX_SLOTS(UBOUND_100)},
     {OP0(TEX, 0x361), MODS(SCR, BINDLESS, LOD, AOFFI, DC, NDV, NODEP), TEX_BINDLESS},
     TEX_ROWS(TLD, 0xb66, 0xf66, 0x367, SCR, LOD, AOFFI),
     {OP1(TLD, 0xf66), MODS(SCR, LOD_100, AOFFI, NODEP), TEX_SLOTS(UBOUND_100)},
     {OP0(TLD, 0x367), MODS(SCR, BINDLESS, LOD, AOFFI, NODEP), TEX_BINDLESS},
     TEX_ROWS(TLD4, 0xb63, 0xf63, 0x364, SCR, M(FUNCTION, 87, 2, components),
              M(TEX_OFFSET, 76, 2, offsets), DC),
     {OP0(TLD4, 0x364),
      MODS(SCR, M(FUNCTION, 87, 2, components), BINDLESS, M(TEX_OFFSET, 76, 2, offsets), DC, NODEP),
      TEX_BINDLESS},
     TEX_ROWS(TXD, 0xb6c, 0xf6c, 0x36d, AOFFI),
     {OP0(TXD, 0x36d), MODS(BINDLESS, AOFFI, NODEP), TEX_BINDLESS},
     {OP0(TXQ, 0xb6f), MODS(NODEP), SLOTS(RD2, RD, R(24), WORDOP(62, 2, queries), BOUND, MASK)},
     {OP1(TXQ, 0xf6f), MODS(NODEP), SLOTS(RD2, RD, R(24), WORDOP(62, 2, queries), UBOUND, MASK)},
     {OP0(TXQ, 0x370), MODS(BINDLESS, NODEP), SLOTS(RD2, RD, R(24), WORDOP(62, 2, queries), MASK)},
     SULD_ROWS(TILL(79), SU_MODS(SU_D, SEM_75)), SULD_ROWS(SU_MODS(SU_D, SEM_80)),
     SUST_ROWS(0xb9d, 0xf9d, 0x99e, TILL(79), SU_MODS(SU_D, SEM_75)),
     SUST_ROWS(0xb9d, 0xf9d, 0x99e, SU_MODS(SU_D, SEM_80)),
     SUST_ROWS(0xb9b, 0xf9b, 0x99c, TILL(79), SU_MODS(SU_P, SEM_75, CHANNELS)),
     SUST_ROWS(0xb9b, 0xf9b, 0x99c, SU_MODS(SU_P, SEM_80, CHANNELS)),

     /* in which space an address lies */
     {OP0(QSPC, 0x3aa), MODS(BIT(EXTENDED, 72, E), M(MODE, 73, 2, spaces)),
      SLOTS(PD(81), RD, MEM(0))},
     {OP1(QSPC, 0x9aa), MODS(BIT(EXTENDED, 72, E), M(MODE, 73, 2, spaces)),
      SLOTS(PD(81), RD, MEMU(32, 0))}, );
