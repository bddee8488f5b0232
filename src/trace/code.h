/* code.h - the table of static instructions as the byte code sees it.
 *
 * Entries live in segments of doubling size that are never moved, so that an entry may be read by
 * one thread while another thread appends. */
#ifndef STRATA_TRACE_CODE_H
#define STRATA_TRACE_CODE_H

#include <stdatomic.h>
#include <strata/trace.h>

#include "base/bits.h"

#define CODE_FIRST_SEGMENT_LOG2 6
#define CODE_SEGMENTS           20 /* 64 * (2^20 - 1) entries */
#define CODE_MAX_INSTRUCTIONS   (1u << 24)

#define CODE_NO_SLOT UINT32_MAX

/* `slot` numbers the static instructions that can carry addresses: each has its own address
 * prediction in the byte code. CODE_NO_SLOT: the instruction never has addresses. */
struct code_entry {
    struct strata_inst inst;
    uint32_t slot;
};

struct strata_code {
    uint64_t serial; /* no other table of this process has, or had, the same */
    struct code_entry *segment[CODE_SEGMENTS];
    _Atomic uint32_t n;       /* entries */
    _Atomic uint32_t n_slots; /* entries with a slot */
    /* Only the thread that adds uses what follows. */
    uint32_t *hash;     /* open addressing: index + 1, 0 = free */
    uint32_t hash_size; /* power of two */
    struct code_text {  /* distinct ones: opcodes, places of inlined code */
        uint64_t hash;
        char *words;
    } * text;
    size_t n_text, cap_text;
};

static inline struct code_entry *code_entry(const struct strata_code *code, uint32_t index)
{
    uint32_t shifted = index + (1u << CODE_FIRST_SEGMENT_LOG2);
    unsigned top = 31u - (unsigned)__builtin_clz(shifted);
    return code->segment[top - CODE_FIRST_SEGMENT_LOG2] + (shifted - (1u << top));
}

/* True if the instruction may have addresses. A property of the static instruction alone, because
 * the byte code relies on it. */
static inline bool code_inst_has_slot(const struct strata_inst *inst)
{
    return (inst->memop != STRATA_MEM_NONE && inst->space != STRATA_SPACE_CONST) ||
           inst->opclass == STRATA_OP_MEM || inst->opclass == STRATA_OP_BULK ||
           inst->opclass == STRATA_OP_MBARRIER || inst->opclass == STRATA_OP_WGMMA ||
           inst->trace_width;
}

#endif
