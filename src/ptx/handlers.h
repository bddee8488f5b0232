/* handlers.h - finding the handler of an instruction. One function per family and file; each gives
 * NULL for a combination that does not exist. Operand convention of all of them: destination d
 * (second d2), sources a, b, c, e; lanes are 4 bytes for types up to 32 bits, else 8; predicates
 * are masks. 16-bit results are stored zero-extended. */
#ifndef STRATA_PTX_HANDLERS_H
#define STRATA_PTX_HANDLERS_H

#include "ptx/exec.h"

/* Integer arithmetic: variant is PTX_NONE, PTX_M_LO, PTX_M_HI, PTX_M_WIDE, PTX_M_SAT or, for
 * shf, PTX_M_WRAP or PTX_M_CLAMP. */
ptx_handler *ptx_int_handler(unsigned mnemonic, unsigned type, unsigned variant);
/* Bit operations; shf takes direction (PTX_M_L, PTX_M_R) in `variant` and wrap in in->op. */
ptx_handler *ptx_bits_handler(unsigned mnemonic, unsigned type, unsigned variant);
/* add, addc, sub, subc, mad, madc with a carry: in->d2 is the carry predicate, in->op holds
 * PTX_CARRY_*. */
enum { PTX_CARRY_IN = 1, PTX_CARRY_OUT = 2 };
ptx_handler *ptx_carry_handler(unsigned mnemonic, unsigned type, unsigned variant);

/* setp, set: in->op is the comparison; type compared. */
ptx_handler *ptx_compare_handler(unsigned comparison, unsigned type, bool ftz);
/* set of pairs: the half in->imm where predicate a (lower) and b (upper) hold */
ptx_handler ptx_run_set_pair;
/* testp: in->op is the property. */
ptx_handler *ptx_testp_handler(unsigned type);
ptx_handler *ptx_select_handler(unsigned lane_bytes); /* selp: c is the predicate */
ptx_handler *ptx_slct_handler(unsigned lane_bytes, bool float_condition);
ptx_handler *ptx_mov_handler(unsigned lane_bytes);

/* f32 and f64 in round-to-nearest, f16 and bf16 and their pairs. */
ptx_handler *ptx_float_handler(unsigned mnemonic, unsigned type, bool ftz, bool sat);
/* Mnemonic in in->imm; in->op is PTX_M_RELU or PTX_M_PROPAGATE_NAN; unused sources PTX_NO_REF. */
ptx_handler *ptx_half_handler(unsigned mnemonic, unsigned type);
/* The same with a rounding mode in in->op (PTX_M_RN ...) and the mnemonic in in->imm; slow. */
ptx_handler *ptx_rounded_handler(unsigned mnemonic, unsigned type);
/* min.NaN and max.NaN of f32. */
ptx_handler *ptx_minmax_nan_handler(unsigned mnemonic);
/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64. */
ptx_handler *ptx_seed_handler(unsigned mnemonic);
/* sin, cos, ex2, lg2, rsqrt, tanh. */
ptx_handler *ptx_approx_handler(unsigned mnemonic, unsigned type);

/* Common conversions by their own loop, all others through one general handler; in->extra is a
 * struct ptx_conversion. */
struct ptx_conversion {
    uint8_t to, from; /* types */
    uint8_t rounding; /* PTX_M_RN ..., PTX_NONE */
    bool sat, ftz, relu;
};
ptx_handler *ptx_convert_handler(const struct ptx_conversion *conversion);

/* ---- memory ----
 *
 * a is the address (in->imm its offset), in->space, in->width and in->n say what is accessed; with
 * in->n > 1, in->extra points to as many references. PTX_INST_WIDE_DST: the data registers have
 * 8-byte lanes. */
ptx_handler ptx_run_load, ptx_run_store;
/* cp.async: a is the global address, b the shared one (in->op: PTX_INST_ADDRESS32 if it has 4-byte
 * lanes; in->extra: its offset), c the bytes to read, PTX_NO_REF for all. */
ptx_handler ptx_run_copy_async;
/* prefetch and kin: checks nothing, records the address. */
ptx_handler ptx_run_prefetch;
ptx_handler ptx_run_nothing;
/* atom and red: b the operand, c the new value of a cas; in->op the operation, in->is_signed holds
 * the type; d is PTX_NO_REF for red. */
ptx_handler ptx_run_atomic, ptx_run_atomic_vector;
/* One atomic operation on memory; returns the old bits. */
uint64_t emu_atomic_apply(unsigned op, unsigned type, uint8_t *memory, uint64_t value,
                          uint64_t other);

/* ---- addresses ---- */
ptx_handler ptx_run_local_address; /* mov of a local variable's or parameter's address: in->imm */
ptx_handler ptx_run_isspacep;      /* in->op: space */
ptx_handler ptx_run_mov_clock, ptx_run_mov_activemask;

/* ---- vectors ---- */
/* mov.b64 {a, b}, c and back: in->n parts of in->width bytes, references in in->extra. */
ptx_handler ptx_run_unpack, ptx_run_pack;

/* ---- warp-wide, see exec_warp.c ---- */
/* What the lanes of `mask` give into an instruction that they execute with others. */
void ptx_exchange_add(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                      struct ptx_exchange *all);
ptx_handler ptx_run_shfl, ptx_run_vote, ptx_run_match, ptx_run_redux, ptx_run_elect;

/* ---- matrices and textures ---- */
ptx_handler ptx_run_mma, ptx_run_quad_mma, ptx_run_matrix_part;
ptx_handler ptx_run_matrix_tiles, ptx_run_ldmatrix, ptx_run_stmatrix, ptx_run_movmatrix;
ptx_handler ptx_run_tex, ptx_run_txq;

/* ---- asynchronous work: copies, barriers, warpgroups ---- */
/* in->extra: struct ptx_bulk, struct ptx_barrier, struct ptx_wgmma (async.h). */
ptx_handler ptx_run_bulk, ptx_run_barrier, ptx_run_barrier_wait, ptx_run_pending_count;
ptx_handler ptx_run_store_async, ptx_run_tensormap_replace, ptx_run_tensormap_copy;
ptx_handler ptx_run_cluster_arrive, ptx_run_cluster_wait, ptx_run_mapa, ptx_run_getctarank;
ptx_handler ptx_run_wgmma, ptx_run_group_meets;

/* ---- functions of the emulator ---- */
void ptx_run_builtin(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask);

#endif
