/* rows_async.c - Hopper's asynchronous work: bulk and tensor copies, barriers in shared memory,
 * clusters, register pools, products of warpgroups. Places of the latter: found by assembling every
 * shape, type and sign of wgmma.mma_async and comparing the bits. */
#include "sass/rows.h"

static const uint16_t dimensions[8] = {W(1D), W(2D), W(3D), W(4D), W(5D), BAD, BAD, BAD};
static const uint16_t directions_to[4] = {BAD, W(S), W(G), W(S)};
static const uint16_t directions_from[4] = {BAD, W(G), W(S), W(S)};
static const uint16_t bulk_types[16] = {Q(U32), W(S32), W(U64),  W(S64), W(F16), W(F32),
                                        BAD,    W(F64), W(BF16), BAD,    BAD,    BAD,
                                        BAD,    BAD,    BAD,     BAD};
static const uint16_t bulk_rounds[16] = {[4] = W(RN), [5] = W(RN), [7] = W(RN), [8] = W(RN)};
static const uint16_t arrivals[8] = {0, W(A1T0), W(A0T1), W(A1TR), W(A0TR), W(ART0), W(A0TX), BAD};
static const uint16_t register_modes[4] = {W(ALLOC), W(DEALLOC), W(TRY_ALLOC), BAD};
static const uint16_t reduction_types[8] = {Q(U32),   W(S32), W(64),  W(F32),
                                            W(F16x2), W(S64), W(F64), BAD};
static const uint16_t cctll_ops[4] = {W(PF1), W(PF2), W(WB), W(IV)};
static const uint16_t cta_axes[4] = {W(X), W(Y), W(Z), 0};

static const uint16_t hgmma_types[4] = {Q(F16), W(BF16), W(TF32), BAD};
static const uint16_t transpositions[4] = {0, W(tnspA), W(tnspB), W(tnspA_tnspB)};
static const uint16_t closed_groups[8] = {W(gsb0), W(gsb1), W(gsb2), W(gsb3),
                                          W(gsb4), W(gsb5), W(gsb6), Q(gsb7)};
static const uint16_t group_barriers[8] = {W(gsb0), W(gsb1), W(gsb2), W(gsb3),
                                           W(gsb4), W(gsb5), W(gsb6), W(gsb7)};

#define UADDRESS(a)                                                                                \
    {                                                                                              \
        .kind = SLOT_MEM_U, .ureg = a                                                              \
    }
#define DESC                                                                                       \
    {                                                                                              \
        .kind = SLOT_DESCRIPTOR, .at = 40                                                          \
    }
#define DIM       M(SHAPE, 79, 3, dimensions)
#define IM2COL    BIT(IM2COL, 82, IM2COL)
#define BULK      M(MODE, 73, 2, directions_to), M(OPTION1, 73, 2, directions_from)
#define MULTICAST BIT(MULTICAST, 75, MULTICAST)
#define REDUCTION M(FUNCTION, 87, 3, sass_set_atomic)
#define HAS_DESC  WHEN(IS(76, 1, 1))

/* With a cache policy (bit 76) and without. */
#define WITH_POLICY(name, code, mods, ...)                                                         \
    {OP1(name, code), HAS_DESC, mods, SLOTS(__VA_ARGS__, DESC)},                                   \
    {                                                                                              \
        OP1(name, code), mods, SLOTS(__VA_ARGS__)                                                  \
    }

/* B from shared memory always, A from registers or from there too. A descriptor names four uniform
 * registers: A's two, which do not count where A is in registers, and B's two. The shape is printed
 * by code (sass_gmma_shape). */
#define GDESC(a)                                                                                   \
    {                                                                                              \
        .kind = SLOT_GDESC, .at = a, .suffix = transpositions, .suffix_at = 61, .suffix_width = 2  \
    }
#define SCALE_D                                                                                    \
    {                                                                                              \
        .kind = SLOT_UPREV, .at = 87, .neg = 90, .flags = FLAG_HIDE_T                              \
    }
#define GROUP                                                                                      \
    {                                                                                              \
        .kind = SLOT_WORD, .at = 84, .width = 3, .suffix = closed_groups, .suffix_at = 84,         \
        .suffix_width = 3, .hide = 7                                                               \
    }
#define REG_C R_(64, 0)
#define WARPGROUP_PRODUCT(name, code, ...)                                                         \
    {OP1(name, 0x800 | code), MODS(__VA_ARGS__), SLOTS(RD, GDESC(24), REG_C, SCALE_D, GROUP)},     \
    {                                                                                              \
        OP1(name, 0xc00 | code), MODS(__VA_ARGS__),                                                \
            SLOTS(RD, R(24), GDESC(32), REG_C, SCALE_D, GROUP)                                     \
    }
/* Half of A, and behind what says whether sums count the register that tells which half. */
#define SPARSE_PRODUCT(name, code, TELLS, ...)                                                     \
    {OP1(name, 0x800 | code), WHEN(IS(73, 1, 1)), MODS(__VA_ARGS__),                               \
     SLOTS(RD, GDESC(24), REG_C, SCALE_D, TELLS, GROUP)},                                          \
    {                                                                                              \
        OP1(name, 0xc00 | code), WHEN(IS(73, 1, 1)), MODS(__VA_ARGS__),                            \
            SLOTS(RD, R(24), GDESC(32), REG_C, SCALE_D, TELLS, GROUP)                              \
    }
#define ALL_LANES  R(40)
#define SOME_LANES R(40), IMM(48, 1)
#define HGMMA_MODS EITHER(TYPE, 75, W(F16), W(F32)), M(SRC_TYPE, 76, 2, hgmma_types)
#define IGMMA_MODS EITHER(SRC_TYPE, 76, W(U8), W(S8)), EITHER(SRC_TYPE2, 82, W(U8), W(S8))
#define QGMMA_MODS                                                                                 \
    EITHER(TYPE, 75, W(F16), W(F32)), EITHER(SRC_TYPE, 76, W(E4M3), W(E5M2)),                      \
        EITHER(SRC_TYPE2, 77, W(E4M3), W(E5M2))

ROWS(async, WITH_POLICY(UTMALDG, 0x5b4, MODS(DIM, IM2COL), UADDRESS(32), UADDRESS(24)),
     WITH_POLICY(UTMALDG, 0x3b4, MODS(DIM, IM2COL, MULTICAST), UADDRESS(32), UADDRESS(24), UR(64)),
     WITH_POLICY(UTMASTG, 0x3b5, MODS(DIM, IM2COL), UADDRESS(32), UADDRESS(24)),
     WITH_POLICY(UTMAREDG, 0x3b6, MODS(DIM, IM2COL, REDUCTION), UADDRESS(32), UADDRESS(24)),
     WITH_POLICY(UTMAPF, 0x5b8, MODS(ALWAYS(MODE, W(L2)), DIM, IM2COL), UADDRESS(32), UADDRESS(24)),
     WITH_POLICY(UTMAPF, 0x3b8, MODS(ALWAYS(MODE, W(L2)), DIM, IM2COL), UADDRESS(32), UADDRESS(24),
                 UR(64)),
     {OP1(UTMACCTL, 0x9b9), MODS(EITHER(MODE, 82, W(IV), W(PF))), SLOTS(UADDRESS(24))},
     {OP(UTMACMDFLUSH, 0x9b7)},
     WITH_POLICY(UBLKCP, 0x3ba, MODS(BULK, MULTICAST), UADDRESS(32), UADDRESS(24), UR(64)),
     WITH_POLICY(UBLKRED, 0x3bb,
                 MODS(BULK, REDUCTION, M(TYPE, 81, 4, bulk_types), M(ROUND, 81, 4, bulk_rounds)),
                 UADDRESS(32), UADDRESS(24), UR(64)),
     WITH_POLICY(UBLKPF, 0x3bc, MODS(ALWAYS(MODE, W(L2))), UADDRESS(24), UR(64)),

     /* barriers in shared memory that count arrivals and bytes */
     {OP1(SYNCS, 0x9a7),
      MODS(ALWAYS(MODE, W(ARRIVE)), ALWAYS(SIZE, W(TRANS64)), BIT(OPTION1, 74, RED),
           M(COUNT_OF, 84, 3, arrivals)),
      SLOTS(RD, MEMU(64, 0), R(32))},
     {OP1(SYNCS, 0x5a7),
      MODS(ALWAYS(MODE, W(PHASECHK)), ALWAYS(SIZE, W(TRANS64)), BIT(OPTION1, 72, TRYWAIT)),
      SLOTS(PD(81), MEMU(64, 0), R(32))},
     {UOP(SYNCS, 0x5b2), MODS(ALWAYS(MODE, W(EXCH)), EITHER(SIZE, 72, Q(32), W(64))),
      SLOTS(URD, {.kind = SLOT_MEM_U, .aux = 40, .width = 24, .ureg = 24}, UR(32))},

     {OP1(SYNCS, 0x9b1), MODS(ALWAYS(MODE, W(CCTL)), ALWAYS(SIZE, W(IV))), SLOTS(MEMU(64, 0))},

     /* warpgroups */
     {OP(WARPGROUP, 0x9c5), WHEN(IS(80, 1, 0)), MODS(ALWAYS(MODE, W(ARRIVE)))},
     {OP(WARPGROUP, 0x9c5), MODS(ALWAYS(MODE, W(DEPBAR)), BIT(OPTION1, 47, LE)),
      SLOTS(WORDOP(44, 3, group_barriers), IMM(72, 8))},
     SPARSE_PRODUCT(HGMMA, 0x1f0, SOME_LANES, HGMMA_MODS),
     SPARSE_PRODUCT(IGMMA, 0x1f1, ALL_LANES, IGMMA_MODS),
     SPARSE_PRODUCT(QGMMA, 0x1f3, ALL_LANES, QGMMA_MODS),
     WARPGROUP_PRODUCT(HGMMA, 0x1f0, HGMMA_MODS), WARPGROUP_PRODUCT(IGMMA, 0x1f1, IGMMA_MODS),
     WARPGROUP_PRODUCT(BGMMA, 0x1f2, ALWAYS(FUNCTION, W(AND)), ALWAYS(OPTION1, W(POPC))),
     WARPGROUP_PRODUCT(QGMMA, 0x1f3, QGMMA_MODS),

     /* shared memory of other blocks of the cluster */
     {OP1(STAS, 0xdbd), MODS(M(SIZE, 73, 3, sass_set_size)), SLOTS(MEMD_(64, 90, 0), R(32))},
     {OP1(REDAS, 0xdbe), MODS(REDUCTION, M(TYPE, 73, 3, reduction_types)),
      SLOTS(MEMD_(64, 72, 0), R(32))},
     {UOP(UCGABAR_ARV, 0x9c7)}, {UOP(UCGABAR_WAIT, 0xdc7)}, {UOP(UCGABAR_GET, 0x5c7), SLOTS(URD)},
     {UOP(UCGABAR_SET, 0x3c7), SLOTS(UR(32))},

     {UOP(USETMAXREG, 0x9c8), MODS(M(MODE, 72, 2, register_modes), BIT(OPTION1, 74, CTAPOOL)),
      SLOTS(UPDH(81), IMM(32, 32))},
     {UOP(USETSHMSZ, 0x9c9), WHEN(IS(72, 1, 1)), MODS(BIT(MODE, 72, FLUSH))},
     {UOP(USETSHMSZ, 0x9c9), SLOTS(IMM(32, 32))},
     {OP(ELECT, 0x82f), MODS(BIT(MODE, 85, IGNOREKILL)), SLOTS(PD(81), URD, P(87, 90))},
     {OP(CCTLL, 0x990), MODS(M(MODE, 87, 2, cctll_ops)), SLOTS(MEM(0))},
     {ALU(CLMAD, 0x02c), MODS(EITHER(HIGH, 77, W(LO), W(HI))), SLOTS(RD, A_(0), B_(0), C_(0))},
     {OP(GETLMEMBASE, 0x3c0), SLOTS(RD)}, {OP(SETLMEMBASE, 0x3c1), SLOTS(R(24))},
     {OP(SETCTAID, 0x31f), MODS(M(MODE, 78, 2, cta_axes)), SLOTS(R(24))}, );
