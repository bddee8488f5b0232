/* lower.h - from decoded instructions to handlers and rows: what the lowerers share. */
#ifndef STRATA_SASS_LOWER_H
#define STRATA_SASS_LOWER_H

#include "sass/handlers.h"

struct sass_lowering {
    struct sass_image *image;
    const struct sass_inst *in;
    struct sass_exec *op;
    struct sass_pool_chunk **pool; /* what op->extra points to */
    uint32_t arch;
    uint32_t zero_row, sink_row, uniform_row; /* byte offsets in the file */
    bool no_memory;
    const char *refusal; /* why the instruction cannot be executed */
};

/* Lowers one instruction; false: it cannot be executed. */
bool sass_lower(struct sass_lowering *l);
/* Whether instructions of this enum sass_op can be executed at all. */
bool sass_is_executed(unsigned op);

/* How the values of a row are to be understood when signs are applied. */
enum sass_operand_type { SASS_INTEGER, SASS_FLOAT, SASS_DOUBLE };

static inline const struct sass_operand *sass_operand_get(const struct sass_lowering *l, unsigned n)
{
    return &l->in->operand[n];
}
static inline uint16_t sass_mod_get(const struct sass_lowering *l, enum sass_mod mod)
{
    return l->in->mod[mod];
}

/* The row of a source without its signs; `words` rows of it. */
uint32_t sass_lower_row(struct sass_lowering *l, const struct sass_operand *o, unsigned words);
/* The row that takes a result. */
uint32_t sass_lower_dest(struct sass_lowering *l, const struct sass_operand *o);
/* Sets a, b or c (operand 0, 1, 2) with its preparation. */
void sass_lower_source(struct sass_lowering *l, unsigned operand, const struct sass_operand *o,
                       enum sass_operand_type type);
uint8_t sass_lower_pred(const struct sass_operand *o);
uint8_t sass_lower_pred_dest(const struct sass_operand *o);
/* Rows all of whose lanes hold a value. */
uint32_t sass_lower_constant(struct sass_lowering *l, uint64_t value, unsigned words);
uint32_t sass_lower_bank(struct sass_lowering *l, unsigned bank, uint32_t offset, unsigned words);
/* An address in brackets; global: of 64 bits. */
void sass_lower_address(struct sass_lowering *l, const struct sass_operand *o, bool global,
                        struct sass_access *access);
/* enum emu_atomic of a modifier; EMU_STORE: none. */
uint8_t sass_atomic_operation(uint16_t word);
/* Zeroed memory that lives as long as the image; NULL: l->no_memory is set. */
void *sass_lower_allocate(struct sass_lowering *l, size_t bytes);
bool sass_lower_refuse(struct sass_lowering *l, const char *why);
uint8_t sass_lower_rounding(uint16_t word);

/* The lowerers, by family: false if they refuse. */
typedef bool sass_lowerer(struct sass_lowering *l);
sass_lowerer sass_lower_iadd3, sass_lower_imad, sass_lower_lea, sass_lower_lop3, sass_lower_plop3,
    sass_lower_shf, sass_lower_isetp, sass_lower_prmt, sass_lower_one_source,
    sass_lower_two_sources, sass_lower_minmax, sass_lower_sel, sass_lower_mov,
    sass_lower_predicates, sass_lower_idp;
sass_lowerer sass_lower_float, sass_lower_fsetp, sass_lower_mufu, sass_lower_double,
    sass_lower_half, sass_lower_convert;
sass_lowerer sass_lower_load, sass_lower_store, sass_lower_atomic, sass_lower_ldgsts,
    sass_lower_ldc, sass_lower_ldsm, sass_lower_prefetch;
sass_lowerer sass_lower_flow, sass_lower_barrier, sass_lower_warp, sass_lower_special,
    sass_lower_nothing, sass_lower_bmov;
sass_lowerer sass_lower_mma, sass_lower_texture;
sass_lowerer sass_lower_gmma, sass_lower_warpgroup, sass_lower_syncs, sass_lower_bulk,
    sass_lower_store_async, sass_lower_cluster, sass_lower_elect;
/* What a trace says of asynchronous work: class and number. */
void sass_async_describe(const struct sass_image *image, const struct sass_inst *in,
                         const struct sass_exec *op, struct strata_inst *s);

#endif
