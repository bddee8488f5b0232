/* handlers.h - the handlers of machine code, by family. Operands are as lowering set them: d, a, b,
 * c rows, pd and ps predicates, mode and imm as said. */
#ifndef STRATA_SASS_HANDLERS_H
#define STRATA_SASS_HANDLERS_H

#include "emulator/bulk.h"
#include "emulator/wgmma.h"
#include "sass/exec.h"

#define HANDLER(name)                                                                              \
    void name(struct sass_warp *w, const struct sass_exec *op, uint32_t mask);                     \
    void name(struct sass_warp *w, const struct sass_exec *op, uint32_t mask)

/* ---- integers ---- */
sass_handler sass_run_nothing, sass_run_mov, sass_run_iadd, sass_run_iadd64, sass_run_iadd_carry;
sass_handler sass_run_imad, sass_run_imad_x, sass_run_imad_wide, sass_run_imad_high;
sass_handler sass_run_lea, sass_run_lea_high, sass_run_lop3, sass_run_lop3_pred, sass_run_plop3;
sass_handler sass_run_shf, sass_run_shl, sass_run_shr_u, sass_run_shr_s, sass_run_prmt;
sass_handler sass_run_isetp, sass_run_imnmx, sass_run_imnmx16, sass_run_iaddmnmx, sass_run_imnmx3;
sass_handler sass_run_sel, sass_run_iabs, sass_run_popc, sass_run_brev, sass_run_flo;
sass_handler sass_run_sgxt, sass_run_bmsk, sass_run_p2r, sass_run_r2p, sass_run_idp4, sass_run_idp2;
sass_handler sass_run_vabsdiff, sass_run_vabsdiff4;
/* ISETP and FSETP: mode is the comparison, mode2 how it is combined with ps. */
enum sass_compare { /* less 1, equal 2, greater 4, unordered 8 */
                    SASS_CMP_LESS = 1,
                    SASS_CMP_EQUAL = 2,
                    SASS_CMP_GREATER = 4,
                    SASS_CMP_UNORDERED = 8
};
enum sass_bool { SASS_BOOL_AND, SASS_BOOL_OR, SASS_BOOL_XOR };
/* Writes pd and pd2: the test and its opposite, combined. */
void sass_finish_compare(struct sass_warp *w, const struct sass_exec *op, uint32_t mask,
                         uint32_t result);

/* ---- floats; op->rounding 0 is nearest ---- */
sass_handler sass_run_fadd, sass_run_fmul, sass_run_ffma, sass_run_fmnmx, sass_run_fsel;
sass_handler sass_run_float_any, sass_run_fsetp, sass_run_fset, sass_run_mufu, sass_run_fchk;
sass_handler sass_run_fswzadd;
sass_handler sass_run_dadd, sass_run_dmul, sass_run_dfma, sass_run_double_any, sass_run_dsetp;
enum sass_mufu {
    SASS_MUFU_COS,
    SASS_MUFU_SIN,
    SASS_MUFU_EX2,
    SASS_MUFU_LG2,
    SASS_MUFU_RCP,
    SASS_MUFU_RSQ,
    SASS_MUFU_RCP64H,
    SASS_MUFU_RSQ64H,
    SASS_MUFU_SQRT,
    SASS_MUFU_TANH
};
enum sass_float_operation { SASS_FLOAT_ADD, SASS_FLOAT_MUL, SASS_FLOAT_FMA };
int sass_host_rounding(unsigned rounding);
enum { SASS_ROUND_NEAREST = 0, SASS_ROUND_DOWN, SASS_ROUND_UP, SASS_ROUND_ZERO };

/* ---- halves: op->extra is a struct sass_half ---- */
enum sass_half_operation {
    SASS_HALF_ADD,
    SASS_HALF_MUL,
    SASS_HALF_FMA,
    SASS_HALF_MIN_MAX,
    SASS_HALF_MIN_MAX_3
};
struct sass_half_source {
    uint8_t low, high; /* which half each of the two results reads */
    bool negated, absolute, is_f32;
};
struct sass_half {
    uint8_t operation;
    bool bfloat, relu, f32_result, propagate_nan;
    struct sass_half_source source[3];
};
sass_handler sass_run_half, sass_run_hsetp2, sass_run_hset2, sass_run_half_const;

/* ---- conversions: mode to, mode2 from ---- */
sass_handler sass_run_f2i, sass_run_i2f, sass_run_f2f, sass_run_frnd, sass_run_f2fp,
    sass_run_pack_bytes, sass_run_i2i, sass_run_unpack_bytes;

/* ---- memory ---- */
sass_handler sass_run_load, sass_run_store, sass_run_atomic, sass_run_atomic_vector,
    sass_run_ldgsts, sass_run_ldc;
/* mode3 of sass_run_atomic. */
enum { SASS_ATOM_COUNTS = 1, SASS_ATOM_TELLS };
sass_handler sass_run_ldsm, sass_run_stsm, sass_run_prefetch, sass_run_qspc;
/* An address: row a (two rows if SASS_WIDE_ADDRESS), row b uniform (SASS_NO_ROW: none), imm. */
enum sass_address_flag {
    SASS_ADDRESS_WIDE = 1,  /* a is a pair */
    SASS_ADDRESS_UWIDE = 2, /* the uniform register is a pair */
};
struct sass_access {
    uint32_t address, uniform; /* rows, SASS_NO_ROW: none */
    uint8_t flags;             /* enum sass_address_flag */
    uint8_t shift;             /* of the register: .X4 is 2 */
    int64_t offset;
};
void sass_addresses(struct sass_warp *w, const struct sass_access *access);
/* Shared addresses of machine code as the emulator has them: one, and those of an access. */
uint32_t sass_shared_address(const struct sass_warp *w, uint32_t a);
void sass_shared_addresses(struct sass_warp *w, unsigned space);

/* ---- across lanes ---- */
sass_handler sass_run_shfl, sass_run_vote, sass_run_match, sass_run_redux, sass_run_r2ur;
sass_handler sass_run_special, sass_run_clock, sass_run_lepc, sass_run_bmov_read,
    sass_run_bmov_write;
sass_handler sass_run_elect, sass_run_movm, sass_run_bar_result;
enum sass_vote { SASS_VOTE_ALL, SASS_VOTE_ANY, SASS_VOTE_EQ };
enum sass_shfl { SASS_SHFL_IDX, SASS_SHFL_UP, SASS_SHFL_DOWN, SASS_SHFL_BFLY };
enum sass_reduce {
    SASS_REDUCE_SUM,
    SASS_REDUCE_MIN,
    SASS_REDUCE_MAX,
    SASS_REDUCE_AND,
    SASS_REDUCE_OR,
    SASS_REDUCE_XOR
};
enum sass_special { /* lanes of special registers, filled when a warp starts */
                    SASS_SR_LANEID,
                    SASS_SR_TID,
                    SASS_SR_TID_X,
                    SASS_SR_TID_Y,
                    SASS_SR_TID_Z,
                    SASS_SR_CTAID_X,
                    SASS_SR_CTAID_Y,
                    SASS_SR_CTAID_Z,
                    SASS_SR_NTID,
                    SASS_SR_LANEMASK_EQ,
                    SASS_SR_LANEMASK_LT,
                    SASS_SR_LANEMASK_LE,
                    SASS_SR_LANEMASK_GT,
                    SASS_SR_LANEMASK_GE,
                    SASS_SR_VIRTID,
                    SASS_SR_VIRTSMID,
                    SASS_SR_SHARED_WINDOW,
                    SASS_SR_LOCAL_WINDOW,
                    SASS_SR_SMEM_SIZE,
                    SASS_SR_CLUSTER_RANK,
                    SASS_SR_ZERO,
                    SASS_SR_ONE
};

/* ---- matrices and textures ---- */
sass_handler sass_run_mma, sass_run_texture;

/* ---- asynchronous work ---- */
sass_handler sass_run_gmma, sass_run_group_meets, sass_run_barrier, sass_run_barrier_wait;
sass_handler sass_run_bulk, sass_run_store_async, sass_run_cluster_arrive, sass_run_cluster_wait,
    sass_run_set_true;
struct sass_gmma {
    struct emu_wgmma model;
    bool commits;
    uint32_t metadata; /* row, of a sparse A */
};
struct sass_syncs { /* an operation on a barrier in shared memory */
    struct sass_access place;
    uint8_t op;       /* enum strata_barrier_op */
    bool variant;     /* see emu_mbarrier_apply */
    bool is_init;     /* the value is the 64 bits of a fresh barrier */
    uint32_t value;   /* row; SASS_NO_ROW: one */
    bool wants_state; /* d takes the state before */
};
/* Uniform registers from row a (shared memory, its barrier, coordinates) and b (global). */
struct sass_bulk {
    struct emu_bulk model;
    uint8_t barrier_at; /* row of the barrier behind that of the shared address, 0: none */
    uint8_t first;      /* row of the first coordinate */
    uint32_t size;      /* row: sixteens of bytes, or blocks of a multicast; SASS_NO_ROW: none */
};

#endif
