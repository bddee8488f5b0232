/* exec.h - the decoded form of a kernel and the state of running warps and blocks.
 *
 * Registers are kept as structures of arrays: a register is 32 lanes of 4 or 8
 * bytes side by side, a predicate is one 32-bit mask. A handler executes one
 * instruction for all lanes of a mask, in loops a compiler can vectorise; the
 * type and the modifiers are in the choice of the handler, made once when the
 * kernel is decoded. */
#ifndef STRATA_PTX_EXEC_H
#define STRATA_PTX_EXEC_H

#include <strata/ptx.h>

#include "emulator/emulator.h"
#include "ptx/ast.h"

struct ptx_warp;
struct ptx_inst;
typedef void ptx_handler(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask);

/* How the loop over a warp's instructions goes on after one of them. */
enum ptx_flow {
    PTX_STEP = 0, /* run the handler, go to the next */
    PTX_MEMORY,   /* the same, with addresses to record and possible failure */
    PTX_SPECIAL,  /* the same, possible failure, nothing to record but the instruction */
    PTX_BRANCH,
    PTX_BRANCH_INDEXED,
    PTX_CALL,
    PTX_RETURN,
    PTX_EXIT,
    PTX_BARRIER,   /* of the block */
    PTX_SYNC_STEP, /* a warp-wide .sync instruction: waits for the lanes it names */
    PTX_SELF,      /* like PTX_SPECIAL; the handler records what it did */
    PTX_WAIT_STEP  /* the handler sets w->must_wait if it cannot go on yet: it runs again later */
};

/* Where an operand lies: a bank in the upper two bits, a byte offset below. */
enum ptx_bank { PTX_BANK_REG = 0, PTX_BANK_CONST, PTX_BANK_WARP, PTX_BANK_BLOCK, PTX_N_BANKS };
#define PTX_REF(bank, offset) ((uint32_t)(bank) << 30 | (uint32_t)(offset))
#define PTX_NO_REF            UINT32_MAX

struct ptx_inst {
    ptx_handler *run;
    uint32_t d, d2;      /* destinations */
    uint32_t a, b, c, e; /* sources */
    uint32_t guard;      /* predicate, PTX_NO_REF if none */
    uint8_t guard_negated;
    uint8_t flow;  /* enum ptx_flow */
    uint8_t width; /* bytes of one element in memory */
    uint8_t n;     /* elements of a vector */
    uint8_t space; /* PTX_M_GLOBAL ..., PTX_NONE: generic */
    uint8_t is_signed;
    uint8_t op;           /* a handler's own: rounding, comparison, operation of an atomic */
    uint8_t flags;        /* PTX_INST_* */
    uint32_t target;      /* branch, call: index of the instruction or function */
    uint32_t join;        /* where a divergent branch meets again */
    int64_t imm;          /* offset of an address, mask, ... */
    struct emu_site site; /* what it means to memory and to the record */
    const void *extra;    /* tables of vectors, calls, textures */
};

enum ptx_inst_flag {
    PTX_INST_ADDRESS32 = 1 << 0, /* the address register has 4-byte lanes */
    PTX_INST_POLL = 1 << 1,      /* may be the reading end of a spin loop */
    PTX_INST_FTZ = 1 << 2,
    PTX_INST_SAT = 1 << 3,
    PTX_INST_UNIFORM_ADDRESS = 1 << 4, /* [symbol+offset] */
    PTX_INST_WIDE_DST = 1 << 5,        /* destinations have 8-byte lanes */
    PTX_INST_WRITES = 1 << 6,          /* memory: a store or a reduction, else a load */
    PTX_INST_NO_RECORD_ADDRESS =
        1 << 7 /* parameters, constants by name: no memory access on hardware */
};

/* ---- code ---- */

struct ptx_atomic_vector { /* registers of its elements */
    const uint32_t *value, *old;
};

struct ptx_copy { /* a parameter on its way between frames */
    uint32_t from, to, bytes;
};

struct ptx_code_function {
    struct ptx_function *ast;
    uint32_t first, n; /* instructions */
    uint32_t frame_bytes;
    uint32_t local_bytes; /* per thread: variables and parameters */
    uint32_t n_params, n_returns;
    struct ptx_copy *params;  /* .to: local offsets in this function; .from unused */
    struct ptx_copy *returns; /* .from: local offsets in this function */
};

/* What a call passes, from the caller's view: local offsets in its own frame. */
struct ptx_call {
    const char *builtin; /* name of a function the emulator provides, NULL: a PTX function */
    uint32_t n_args, n_results;
    struct ptx_copy *args, *results;
};

enum { PTX_RARE_CODES = 16, PTX_NO_RARE_CODE = PTX_RARE_CODES, PTX_RARE_WAYS = 2 };

struct ptx_image {
    struct emu_image base;
    struct ptx_function *entry;
    struct ptx_inst *code;
    size_t n_code, cap_code;
    struct ptx_code_function *functions; /* [0] is the entry */
    size_t n_functions, cap_functions;
    uint32_t *function_of_id; /* by ptx_function.id: index + 1, 0 if not part of the image */
    uint32_t n_ids;
    uint8_t *constants;
    size_t n_constant_bytes, cap_constants;
    bool uses_dynamic_shared, has_indirect_calls;
    uint32_t shared_reserved_bytes; /* of base.shared_bytes: before the variables */
    uint32_t registers_estimate, n_ops;
    bool calls_driver;  /* printf, malloc or free, see emulator/device_calls.h */
    uint32_t n_machine; /* instructions of machine code that the statics stand for */
    uint32_t rare_used; /* rows of its table whose code is called, as bits, see ptx/rare_code.h */
    struct ptx_rare_statics {
        uint32_t first, n;
    } rare[PTX_RARE_CODES][PTX_RARE_WAYS];
};

/* ---- warps ---- */

/* Of a path: it waits for others at a .sync instruction. */
#define PTX_AT_SYNC EMU_AT_OTHERS

struct ptx_frame {
    const struct ptx_code_function *function;
    struct ptx_frame *caller;
    const struct ptx_inst *call; /* that made it */
    uint32_t live;               /* lanes inside */
    uint32_t return_pc;
    uint32_t local_base; /* byte offset of its variables in a thread's local memory */
    uint32_t capacity;   /* bytes of regs */
    uint8_t *regs;
    struct ptx_frame *next_free;
};

/* A join: lanes that diverged and will meet at pc. */
struct ptx_scope {
    uint32_t pc;
    uint32_t expected, arrived;
    int32_t parent;
    struct ptx_frame *frame;
};

/* Each open join was made by the split of a path. */
#define PTX_MAX_SCOPES 64

/* What lanes bring along that execute a .sync instruction together at different places of the code,
 * or called from different ones: each has its operands there. */
struct ptx_exchange {
    uint32_t lanes, yes;       /* all that take part; votes */
    uint64_t value[EMU_LANES]; /* others: the value a lane gives */
};

struct ptx_warp {
    struct emu_warp base;
    uint8_t *bank[PTX_N_BANKS];
    const struct ptx_image *image;
    struct ptx_frame *frame; /* of the current path */
    uint64_t open_scopes;    /* bits of the scopes in use */
    struct ptx_scope scopes[PTX_MAX_SCOPES];
    struct ptx_frame root;
    uint32_t rare[PTX_RARE_WAYS]; /* lanes that called rare code last, by way */
    uint32_t idle_lanes;          /* of the last asynchronous copy: those that read nothing */
    const struct ptx_exchange *exchange; /* NULL: the lanes at hand are all that take part */
};

struct ptx_block {
    struct emu_block base;
    uint8_t *block_lanes; /* bank PTX_BANK_BLOCK */
    struct ptx_frame *free_frames;
};

static inline struct ptx_block *ptx_block_of(const struct ptx_warp *w)
{
    return (struct ptx_block *)w->base.block;
}

/* ---- lanes ---- */

static inline void *ptx_ref(const struct ptx_warp *w, uint32_t ref)
{
    return w->bank[ref >> 30] + (ref & 0x3fffffffu);
}
static inline uint32_t ptx_predicate(const struct ptx_warp *w, uint32_t ref)
{
    return *(const uint32_t *)ptx_ref(w, ref);
}
/* Writes the lanes of `mask` of a predicate. */
static inline void ptx_set_predicate(const struct ptx_warp *w, uint32_t ref, uint32_t mask,
                                     uint32_t value)
{
    uint32_t *p = ptx_ref(w, ref);
    *p = (*p & ~mask) | (value & mask);
}

/* ---- memory, see memory.c ---- */

/* Computes the addresses of an instruction's lanes, `bytes` wide each, and resolves them into
 * w->base.access. Returns the host addresses by lane; NULL after a failure. */
const uint64_t *ptx_resolve(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                            unsigned bytes);
/* Its two halves. */
void ptx_compute_addresses(struct ptx_warp *w, const struct ptx_inst *in);
const uint64_t *ptx_resolve_addresses(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                                      unsigned bytes);

#endif
