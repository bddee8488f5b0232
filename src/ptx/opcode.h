/* opcode.h - mnemonics, types and modifiers of PTX.
 *
 * An instruction is a mnemonic and a list of modifiers in the order written
 * (".volatile" may stand before or after ".global"); whoever decodes it asks
 * for the modifiers it knows and refuses the rest. Opcode strings as a whole
 * are never enumerated: 179 public programs use 444 of them, and the next
 * program uses others. */
#ifndef STRATA_PTX_OPCODE_H
#define STRATA_PTX_OPCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* clang-format off */
#define PTX_MNEMONICS(X) \
    X(abs) X(activemask) X(add) X(addc) X(and) X(applypriority) X(atom) X(bar) X(barrier) X(bfe) \
    X(bfi) X(bfind) X(bmsk) X(bra) X(brev) X(brkpt) X(brx) X(call) X(clz) X(cnot) X(copysign) X(cos) \
    X(cp) X(createpolicy) X(cvt) X(cvta) X(discard) X(div) X(dp2a) X(dp4a) X(elect) X(ex2) X(exit) \
    X(fence) X(fma) X(fns) X(getctarank) X(griddepcontrol) X(isspacep) X(ld) X(ldmatrix) X(ldu) \
    X(lg2) X(lop3) X(mad) X(mad24) X(madc) X(mapa) X(match) X(max) X(mbarrier) X(membar) X(min) X(mma) X(mov) \
    X(movmatrix) X(mul) X(mul24) X(multimem) X(nanosleep) X(neg) X(not) X(or) X(pmevent) X(popc) X(prefetch) \
    X(prefetchu) X(prmt) X(rcp) X(red) X(redux) X(rem) X(ret) X(rsqrt) X(sad) X(selp) X(set) \
    X(setmaxnreg) X(setp) X(shf) X(shfl) X(shl) X(shr) X(sin) X(slct) X(sqrt) X(st) X(stmatrix) \
    X(sub) X(subc) X(szext) X(tanh) X(tensormap) X(testp) X(tex) X(tld4) X(trap) X(txq) X(vote) X(wgmma) X(wmma) X(xor)

/* Element types: name, bytes, kind (p predicate, b bits, u, s, f). */
#define PTX_TYPES(X) \
    X(PRED, "pred", 0, 'p') \
    X(B8, "b8", 1, 'b') X(U8, "u8", 1, 'u') X(S8, "s8", 1, 's') X(E4M3, "e4m3", 1, 'f') \
    X(E5M2, "e5m2", 1, 'f') \
    X(B16, "b16", 2, 'b') X(U16, "u16", 2, 'u') X(S16, "s16", 2, 's') X(F16, "f16", 2, 'f') \
    X(BF16, "bf16", 2, 'f') X(E4M3X2, "e4m3x2", 2, 'f') X(E5M2X2, "e5m2x2", 2, 'f') \
    X(B32, "b32", 4, 'b') X(U32, "u32", 4, 'u') X(S32, "s32", 4, 's') X(F32, "f32", 4, 'f') \
    X(F16X2, "f16x2", 4, 'f') X(BF16X2, "bf16x2", 4, 'f') X(TF32, "tf32", 4, 'f') \
    X(B64, "b64", 8, 'b') X(U64, "u64", 8, 'u') X(S64, "s64", 8, 's') X(F64, "f64", 8, 'f') \
    X(B128, "b128", 16, 'b')

/* All other modifiers: identifier, text. */
#define PTX_MODIFIERS(X) \
    /* state spaces */ \
    X(PARAM, "param") X(GLOBAL, "global") X(SHARED, "shared") X(LOCAL, "local") X(CONST, "const") \
    X(SHARED_CTA, "shared::cta") X(SHARED_CLUSTER, "shared::cluster") X(PARAM_ENTRY, "param::entry") \
    X(PARAM_FUNC, "param::func") \
    /* comparisons; lo and hi are also halves of a product */ \
    X(EQ, "eq") X(NE, "ne") X(LT, "lt") X(LE, "le") X(GT, "gt") X(GE, "ge") X(LO, "lo") X(LS, "ls") \
    X(HI, "hi") X(HS, "hs") X(EQU, "equ") X(NEU, "neu") X(LTU, "ltu") X(LEU, "leu") X(GTU, "gtu") \
    X(GEU, "geu") X(NUM, "num") X(NAN, "nan") X(PROPAGATE_NAN, "NaN") \
    /* rounding */ \
    X(RN, "rn") X(RZ, "rz") X(RM, "rm") X(RP, "rp") X(RNA, "rna") X(RNI, "rni") X(RZI, "rzi") \
    X(RMI, "rmi") X(RPI, "rpi") \
    /* arithmetic */ \
    X(FTZ, "ftz") X(NOFTZ, "noftz") X(SAT, "sat") X(SATFINITE, "satfinite") X(RELU, "relu") \
    X(APPROX, "approx") X(FULL, "full") X(WIDE, "wide") X(CC, "cc") X(XORSIGN, "xorsign") X(ABS, "abs") \
    X(SHIFTAMT, "shiftamt") X(CLAMP, "clamp") X(WRAP, "wrap") X(L, "l") X(R, "r") \
    X(F4E, "f4e") X(B4E, "b4e") X(RC8, "rc8") X(ECL, "ecl") X(ECR, "ecr") X(RC16, "rc16") \
    X(FINITE, "finite") X(INFINITE, "infinite") X(NUMBER, "number") X(NOTANUMBER, "notanumber") \
    X(NORMAL, "normal") X(SUBNORMAL, "subnormal") \
    /* operations of atom, red, bar.red, redux, setp */ \
    X(AND, "and") X(OR, "or") X(XOR, "xor") X(ADD, "add") X(INC, "inc") X(DEC, "dec") X(MIN, "min") \
    X(MAX, "max") X(EXCH, "exch") X(CAS, "cas") X(POPC, "popc") \
    /* memory */ \
    X(V2, "v2") X(V4, "v4") X(V8, "v8") X(CA, "ca") X(CG, "cg") X(CS, "cs") X(LU, "lu") X(CV, "cv") \
    X(WB, "wb") X(WT, "wt") X(NC, "nc") X(VOLATILE, "volatile") X(RELAXED, "relaxed") \
    X(ACQUIRE, "acquire") X(RELEASE, "release") X(ACQ_REL, "acq_rel") X(WEAK, "weak") X(SC, "sc") \
    X(MMIO, "mmio") X(UNIFIED, "unified") \
    X(CTA, "cta") X(CLUSTER, "cluster") X(GPU, "gpu") X(GL, "gl") X(SYS, "sys") \
    X(L1_EVICT_NORMAL, "L1::evict_normal") X(L1_EVICT_UNCHANGED, "L1::evict_unchanged") \
    X(L1_EVICT_FIRST, "L1::evict_first") X(L1_EVICT_LAST, "L1::evict_last") \
    X(L1_NO_ALLOCATE, "L1::no_allocate") X(L2_CACHE_HINT, "L2::cache_hint") X(L2_64B, "L2::64B") \
    X(L2_128B, "L2::128B") X(L2_256B, "L2::256B") X(L2_EVICT_FIRST, "L2::evict_first") \
    X(L2_EVICT_LAST, "L2::evict_last") X(L2_EVICT_NORMAL, "L2::evict_normal") \
    X(LEVEL_L1, "L1") X(LEVEL_L2, "L2") X(TO, "to") X(UNI, "uni") \
    X(ASYNC, "async") X(BULK, "bulk") X(COMMIT_GROUP, "commit_group") X(WAIT_GROUP, "wait_group") \
    X(WAIT_ALL, "wait_all") X(MBARRIER, "mbarrier") X(ARRIVE, "arrive") \
    /* barriers in shared memory, bulk and tensor copies */ \
    X(INIT, "init") X(INVAL, "inval") X(EXPECT_TX, "expect_tx") X(COMPLETE_TX, "complete_tx") \
    X(ARRIVE_DROP, "arrive_drop") X(NO_COMPLETE, "noComplete") X(TEST_WAIT, "test_wait") \
    X(TRY_WAIT, "try_wait") X(PARITY, "parity") X(PENDING_COUNT, "pending_count") X(NOINC, "noinc") \
    X(COMPLETES_BYTES, "mbarrier::complete_tx::bytes") X(MULTICAST, "multicast::cluster") \
    X(BULK_GROUP, "bulk_group") X(TILE, "tile") X(IM2COL, "im2col") X(REDUCE, "reduce") X(READ, "read") \
    X(PREFETCH, "prefetch") X(PROXY, "proxy") X(ALIAS, "alias") X(ASYNC_GENERIC, "async::generic") \
    X(TENSORMAP, "tensormap") X(TENSORMAP_GENERIC, "tensormap::generic") \
    X(MBARRIER_INIT, "mbarrier_init") X(REPLACE, "replace") X(CP_FENCEPROXY, "cp_fenceproxy") \
    X(GLOBAL_ADDRESS, "global_address") X(RANK, "rank") X(BOX_DIM, "box_dim") \
    X(GLOBAL_DIM, "global_dim") X(GLOBAL_STRIDE, "global_stride") X(ELEMENT_STRIDE, "element_stride") \
    X(ELEMTYPE, "elemtype") X(INTERLEAVE_LAYOUT, "interleave_layout") X(SWIZZLE_MODE, "swizzle_mode") \
    X(FILL_MODE, "fill_mode") X(B1024, "b1024") X(FRACTIONAL, "fractional") X(FENCE, "fence") \
    X(MMA_ASYNC, "mma_async") X(SHAPE, "m0n0k0") X(D4, "4d") X(D5, "5d") \
    X(IM2COL_NO_OFFS, "im2col_no_offs") \
    /* warps and blocks */ \
    X(SYNC, "sync") X(ALIGNED, "aligned") X(RED, "red") X(WARP, "warp") X(UP, "up") X(DOWN, "down") \
    X(BFLY, "bfly") X(IDX, "idx") X(ALL, "all") X(ANY, "any") X(BALLOT, "ballot") \
    X(WAIT, "wait") X(LAUNCH_DEPENDENTS, "launch_dependents") \
    /* textures */ \
    X(D1, "1d") X(D2, "2d") X(D3, "3d") X(A1D, "a1d") X(A2D, "a2d") X(CUBE, "cube") X(ACUBE, "acube") \
    X(LEVEL, "level") X(GRAD, "grad") X(BASE, "base") X(WIDTH, "width") X(HEIGHT, "height") \
    X(DEPTH, "depth") \
    /* matrices */ \
    X(LOAD, "load") X(STORE, "store") X(MMA, "mma") X(A, "a") X(B, "b") X(C, "c") X(D, "d") \
    X(ROW, "row") X(COL, "col") X(X1, "x1") X(X2, "x2") X(X4, "x4") X(TRANS, "trans") X(M8N8, "m8n8") \
    X(M16N16K16, "m16n16k16") X(M32N8K16, "m32n8k16") X(M8N32K16, "m8n32k16") X(M16N16K8, "m16n16k8") \
    X(M16N8K4, "m16n8k4") X(M16N8K8, "m16n8k8") X(M16N8K16, "m16n8k16") X(M16N8K32, "m16n8k32") \
    X(M8N8K4, "m8n8k4") X(M8N8K16, "m8n8k16") X(M16N8K64, "m16n8k64") X(SP, "sp") \
    X(SP_ORDERED, "sp::ordered_metadata") X(M8N8K32, "m8n8k32") X(S4, "s4") X(U4, "u4") X(B1, "b1") \
    /* known by name so that messages can tell what is missing */ \
    X(TENSOR, "tensor")
/* clang-format on */

enum ptx_mnemonic {
    PTX_NO_MNEMONIC = 0,
#define X(name) PTX_OP_##name,
    PTX_MNEMONICS(X)
#undef X
        PTX_N_MNEMONICS
};

/* Types come first, so that a modifier below PTX_N_TYPES is a type. */
enum ptx_modifier {
    PTX_NONE = 0,
#define X(id, text, bytes, kind) PTX_##id,
    PTX_TYPES(X)
#undef X
        PTX_N_TYPES,
    PTX_MOD_FIRST = PTX_N_TYPES,
#define X(id, text) PTX_M_##id,
    PTX_MODIFIERS(X)
#undef X
        PTX_N_MODIFIERS
};
_Static_assert(PTX_N_MODIFIERS < 256, "modifiers are kept in bytes");

/* PTX_NO_MNEMONIC / PTX_NONE if the text is not known. Text need not end in NUL. */
unsigned ptx_mnemonic_find(const char *text, size_t length);
unsigned ptx_modifier_find(const char *text, size_t length);
const char *ptx_mnemonic_name(unsigned mnemonic);
const char *ptx_modifier_name(unsigned modifier);

unsigned ptx_type_bytes(unsigned type); /* 0 for a predicate */
char ptx_type_kind(unsigned type);
/* Two floats of eight bits. */
static inline bool ptx_is_eight_bits(unsigned type)
{
    return type == PTX_E4M3X2 || type == PTX_E5M2X2;
}
static inline bool ptx_is_type(unsigned modifier)
{
    return modifier > PTX_NONE && modifier < PTX_N_TYPES;
}

#endif
