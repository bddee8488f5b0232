/* decode.h - from parsed instructions to handlers: what the decoders share.
 *
 * A decoder asks for its operands in the type it works in. Where a register is
 * wider than that (PTX allows it for loads, stores and conversions), the
 * framework adds an internal instruction that narrows a source or widens a
 * destination; those are neither counted nor recorded. */
#ifndef STRATA_PTX_DECODE_H
#define STRATA_PTX_DECODE_H

#include "ptx/cfg.h"
#include "ptx/handlers.h"
#include "ptx/machine_form.h"
#include "ptx/module.h"

#define PTX_MAX_TEMPS 40

struct ptx_widening { /* a destination to be widened after the instruction */
    uint32_t to, from;
    bool is_signed;
};

struct ptx_decoder {
    struct ptx_module *m;
    struct ptx_image *image;
    struct strata_error *err;
    strata_status status;
    const char *file;
    /* the function */
    const struct ptx_function *f;
    uint32_t function_index;
    uint32_t *reg_ref, *reg_reads;
    uint32_t frame_bytes, live_registers;
    uint32_t carry_ref;
    uint32_t temps[3][PTX_MAX_TEMPS], n_temps[3]; /* predicates, 4-byte lanes, 8-byte lanes */
    uint32_t *op_pc;                              /* first instruction of every op, and the end */
    const struct ptx_cfg *cfg;
    struct ptx_forms forms;
    uint32_t end_pc_marker;
    uint32_t *alive;   /* by block: registers of machine code alive where it begins, or NULL */
    uint32_t reg_base; /* number of the function's first register in the record */
    const struct ptx_call_place *last_place; /* of inlined code, and its text */
    const char *last_place_text;
    /* the op */
    const struct ptx_op *op;
    uint32_t op_index;
    uint32_t taken; /* modifiers that were asked for, by position */
    struct ptx_widening widening[PTX_MAX_TEMPS];
    uint32_t n_widening;
    /* the image */
    uint32_t *constant_slots; /* hash of constants: offset + 1 */
    uint32_t n_constant_slots, n_constants;
    struct ptx_constant {
        uint64_t value;
        uint32_t ref;
        uint8_t lane_bytes;
    } * constants;
    uint32_t cap_constants;
};

/* ---- failures: both return false ---- */
bool ptx_dec_fail(struct ptx_decoder *d, strata_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "this form is not supported", naming the instruction. */
bool ptx_dec_unsupported(struct ptx_decoder *d, const char *why);
bool ptx_dec_no_memory(struct ptx_decoder *d);
void *ptx_dec_allocate(struct ptx_decoder *d, size_t bytes); /* module pool, zeroed */

/* ---- modifiers ---- */
bool ptx_dec_has(struct ptx_decoder *d, unsigned modifier);
/* The n-th type modifier, PTX_NONE if there are fewer. */
unsigned ptx_dec_type(struct ptx_decoder *d, unsigned n);
/* The first modifier that is in the list (ended by PTX_NONE), PTX_NONE if none is. */
unsigned ptx_dec_one_of(struct ptx_decoder *d, const uint8_t *list);

/* Takes cache hints, orders and scopes: they change no result. */
void ptx_dec_take_hints(struct ptx_decoder *d);

/* ---- operands ---- */
const struct ptx_operand *ptx_dec_operand(struct ptx_decoder *d, unsigned n);
bool ptx_dec_expect_operands(struct ptx_decoder *d, unsigned low, unsigned high);
/* A source in the lanes of `type`; *ref is set on success. */
bool ptx_dec_source(struct ptx_decoder *d, const struct ptx_operand *o, unsigned type,
                    uint32_t *ref);
bool ptx_dec_dest(struct ptx_decoder *d, const struct ptx_operand *o, unsigned type, uint32_t *ref);
/* The n-th operand of the op. */
bool ptx_dec_source_n(struct ptx_decoder *d, unsigned n, unsigned type, uint32_t *ref);
bool ptx_dec_dest_n(struct ptx_decoder *d, unsigned n, unsigned type, uint32_t *ref);
/* Lanes that all hold `value`; for PTX_PRED a mask of all ones or zeros. */
bool ptx_dec_constant(struct ptx_decoder *d, unsigned type, uint64_t value, uint32_t *ref);
bool ptx_dec_temp(struct ptx_decoder *d, unsigned type, uint32_t *ref);
/* An integer known at decode time; false (without a failure) if it is not. */
bool ptx_dec_immediate(const struct ptx_operand *o, uint64_t *value);
unsigned ptx_lane_bytes(unsigned type); /* 0 for predicates, 4 or 8 */
/* Lane bytes of a register operand, 4 or 8; 0 for predicates and other operands. */
unsigned ptx_dec_operand_lanes(const struct ptx_decoder *d, const struct ptx_operand *o);

/* [base + offset] of a memory operand into in->a, in->imm, in->space, in->flags. */
bool ptx_dec_address(struct ptx_decoder *d, const struct ptx_operand *o, struct ptx_inst *in);
/* The elements of a vector operand (or a single one): references in the lanes of `type`. */
bool ptx_dec_elements(struct ptx_decoder *d, const struct ptx_operand *o, unsigned type, unsigned n,
                      bool is_dest, const uint32_t **refs);

/* ---- instructions ---- */
struct ptx_inst ptx_dec_inst(struct ptx_decoder *d, ptx_handler *run, unsigned flow);
/* Appends an internal instruction. */
bool ptx_dec_put(struct ptx_decoder *d, const struct ptx_inst *in);
/* Appends the instruction of the op: recorded and counted. */
bool ptx_dec_put_main(struct ptx_decoder *d, struct ptx_inst *in);

/* Does the op, which reads around the L1, swaps or exchanges, ask in a loop until another block has
 * answered? Then the image says so too. */
bool ptx_dec_waits(struct ptx_decoder *d);
/* The same in shared memory, until another warp of the block has stored there. */
bool ptx_dec_spins(struct ptx_decoder *d);

/* ---- the decoders, by family ---- */
/* Operation and type of a reduction as src/emulator names them; false: there is no such one. */
bool ptx_dec_reduction(struct ptx_decoder *d, unsigned type, uint8_t *op, uint8_t *emu_type);

bool ptx_decode_arith(struct ptx_decoder *d);
bool ptx_decode_logic(struct ptx_decoder *d);
bool ptx_decode_move(struct ptx_decoder *d);
bool ptx_decode_memory(struct ptx_decoder *d);
bool ptx_decode_flow(struct ptx_decoder *d);
bool ptx_decode_warp(struct ptx_decoder *d);
bool ptx_decode_matrix(struct ptx_decoder *d);
bool ptx_decode_texture(struct ptx_decoder *d);
/* Barriers in shared memory, bulk and tensor copies, st.async, tensor maps, clusters. */
bool ptx_decode_async(struct ptx_decoder *d);
bool ptx_decode_wgmma(struct ptx_decoder *d);

/* ---- what the record says of an instruction ---- */
/* Appends the static instruction(s) of the op, in the form machine code has (machine_form.h), and
 * says in in->site where they are; false if memory is short. */
bool ptx_static_add(struct ptx_decoder *d, struct ptx_inst *in);

#endif
