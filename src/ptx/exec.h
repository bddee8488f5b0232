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

#include "ptx/ast.h"

#define PTX_LANES    32
#define PTX_FULL     0xffffffffu
#define PTX_NO_INDEX UINT32_MAX

struct ptx_warp;
struct ptx_inst;
struct ptx_block;
struct ptx_run;
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
    PTX_BARRIER,  /* of the block */
    PTX_SYNC_STEP /* a warp-wide .sync instruction: waits for the lanes it names */
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
    uint8_t op;      /* a handler's own: rounding, comparison, operation of an atomic */
    uint8_t flags;   /* PTX_INST_* */
    uint32_t target; /* branch, call: index of the instruction or function */
    uint32_t join;   /* where a divergent branch meets again */
    int64_t imm;     /* offset of an address, mask, ... */
    uint32_t record; /* its place in the recorded code, PTX_NO_INDEX: internal, not counted */
    uint32_t slot;   /* of a memory instruction: its own cache of the allocation last used */
    uint32_t line;
    const void *extra; /* tables of vectors, calls, textures */
};

enum ptx_inst_flag {
    PTX_INST_ADDRESS32 = 1 << 0, /* the address register has 4-byte lanes */
    PTX_INST_POLL = 1 << 1,      /* may be the reading end of a spin loop */
    PTX_INST_FTZ = 1 << 2,
    PTX_INST_SAT = 1 << 3,
    PTX_INST_UNIFORM_ADDRESS = 1 << 4,  /* [symbol+offset] */
    PTX_INST_WIDE_DST = 1 << 5,         /* destinations have 8-byte lanes */
    PTX_INST_WRITES = 1 << 6,           /* memory: a store or a reduction, else a load */
    PTX_INST_NO_RECORD_ADDRESS = 1 << 7 /* parameters: no memory access on hardware */
};

/* ---- code ---- */

struct ptx_copy { /* a parameter on its way between frames */
    uint32_t from, to, bytes;
};

struct ptx_code_function {
    const struct ptx_function *ast;
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

struct ptx_image {
    const struct ptx_function *entry;
    struct ptx_inst *code;
    size_t n_code, cap_code;
    struct ptx_code_function *functions; /* [0] is the entry */
    size_t n_functions, cap_functions;
    uint32_t *function_of_id; /* by ptx_function.id: index + 1, 0 if not part of the image */
    uint32_t n_ids;
    uint8_t *constants;
    size_t n_constant_bytes, cap_constants;
    uint32_t shared_bytes; /* static */
    bool uses_dynamic_shared, recursive, has_indirect_calls;
    bool
        talks_between_blocks; /* atomics with a result, device malloc: blocks cannot be reordered */
    uint32_t n_slots;         /* memory instructions */
    struct strata_inst *statics; /* what is recorded of each static instruction */
    size_t n_statics, cap_statics;
    struct strata_code *record; /* the same as a table of the trace, built on first use */
    uint32_t stack_bytes;       /* local memory per thread, calls included; if not recursive */
    uint32_t registers_estimate, n_ops;
    const char *name; /* of the entry */
    const char *file;
};

/* ---- warps ---- */

enum ptx_path_state { PTX_RUNNABLE = 0, PTX_AT_BARRIER, PTX_AT_SYNC };

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

/* Lanes that run together. */
struct ptx_path {
    uint32_t pc, mask;
    int32_t scope; /* innermost join it is on its way to, -1 if none */
    uint8_t state;
    uint8_t barrier;
    uint32_t sync_mask; /* lanes an AT_SYNC path waits for */
    struct ptx_frame *frame;
    uint32_t poll_pc, polls; /* spin detection */
    uint64_t poll_hash;
};

/* A join: lanes that diverged and will meet at pc. */
struct ptx_scope {
    uint32_t pc;
    uint32_t expected, arrived;
    int32_t parent;
    struct ptx_frame *frame;
};

/* Every branch splits a set of lanes in two, so there are never more than 32 paths, and each open
 * join was made by such a split. */
#define PTX_MAX_PATHS  33
#define PTX_MAX_SCOPES 64

/* The accesses of the memory instruction at hand. */
struct ptx_access {
    uint64_t address[PTX_LANES]; /* global, or an offset in shared or local memory */
    uint64_t host[PTX_LANES];    /* where the lane's data lie; global accesses use address */
    uint64_t base;               /* address of the first active lane */
    int64_t stride;
    bool affine;                      /* lane l accesses base + (l - first) * stride */
    bool row;                         /* affine in host memory too */
    uint32_t shared_mask, local_mask; /* lanes of a generic access that are not global */
    uint32_t mixed_mask;              /* lanes whose allocation has an overlay, see overlay.h */
};

struct ptx_log { /* the record of one warp, see record.c */
    uint32_t *words;
    size_t n, cap;
    uint32_t mask;
    uint32_t n_instructions;
};

struct ptx_warp {
    uint8_t *bank[PTX_N_BANKS];
    struct ptx_block *block;
    const struct ptx_image *image;
    struct ptx_frame *frame; /* of the current path */
    uint32_t index;          /* in the block */
    uint32_t live;           /* lanes that have not exited */
    uint32_t n_paths;
    uint8_t *local; /* 32 * local_stride bytes */
    uint32_t local_stride;
    uint32_t pc;                          /* of the instruction being executed, for messages */
    struct ptx_path paths[PTX_MAX_PATHS]; /* the last one runs */
    uint64_t open_scopes;                 /* bits of the scopes in use */
    struct ptx_scope scopes[PTX_MAX_SCOPES];
    struct ptx_frame root;
    struct ptx_access access;
    struct ptx_log log;
    uint64_t n_instructions;
    bool spun; /* gave up its turn because it polls */
};

/* ---- blocks ---- */

struct ptx_barrier {
    uint32_t arrived;  /* threads */
    uint32_t expected; /* threads, 0: all that live */
    uint32_t popc;
    bool all, any;
};

struct ptx_text {
    char *bytes;
    size_t n, cap;
};

/* The allocation a memory instruction used last. */
struct ptx_mixed;
struct ptx_slot {
    uint64_t base, bytes;
    const struct ptx_mixed *mixed; /* the overlay counts, NULL if not */
};

/* Global allocations a block has loaded from or stored to, those with an overlay left out. */
#define PTX_MAX_TOUCHED 64
struct ptx_touched {
    uint32_t n;
    bool overflow; /* too many to tell */
    uint64_t base[PTX_MAX_TOUCHED];
};

/* Stores and reductions of a block, to be applied in block order. */
struct ptx_deferred {
    uint8_t *bytes;
    size_t n, cap;
    bool overflow; /* too many to keep: the block has to wait for its turn */
};

struct ptx_block {
    struct ptx_run *run;
    uint64_t index;
    uint32_t id[3];
    uint32_t n_warps, live_warps;
    struct ptx_warp *warps;
    uint8_t *shared;
    uint32_t shared_bytes;
    uint8_t *block_lanes; /* bank PTX_BANK_BLOCK */
    struct ptx_barrier barriers[16];
    uint32_t open_barriers; /* bits of the barriers somebody waits at */
    struct ptx_frame *free_frames;
    struct ptx_text text;
    struct ptx_deferred deferred;
    uint64_t clock; /* warp instructions so far: what %clock says */
    uint64_t thread_instructions, memory_instructions;
    bool recording;
    bool failed;
    bool done;
    struct strata_block *record;
    struct ptx_slot *slots;  /* by ptx_inst.slot */
    uint32_t slots_overlays; /* overlays there were when the slots were cleared */
    bool ahead;              /* runs ahead of its turn: stores are kept back, see parallel.c */
    uint64_t start;          /* blocks that had finished when it started */
    struct ptx_touched loaded, stored, sampled; /* sampled: by texture instructions */
    struct ptx_overlay *overlay;
    struct strata_error error;
    uint32_t next_warp; /* round robin */
    struct ptx_block *next;
};

/* ---- one launch ---- */

struct ptx_run {
    struct strata_ptx_module *module;
    const struct ptx_image *image;
    const struct strata_ptx_launch *launch;
    const struct strata_ptx_run_options *opt;
    uint8_t *params; /* copy of the parameter block, padded */
    uint32_t threads_per_block, n_warps;
    uint64_t n_blocks;
    uint32_t shared_bytes, local_stride;
    uint8_t *warp_lanes;     /* bank PTX_BANK_WARP of every warp, side by side */
    struct ptx_ahead *ahead; /* while blocks run ahead of their turn, see parallel.c */
    bool checks_memory;
    uint8_t *grid_workspace; /* what %envreg1 and %envreg2 point to: the state of a grid barrier */
    const struct strata_code *code;
};

/* ---- lanes ---- */

extern const uint32_t ptx_lane_bit[PTX_LANES];

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

/* Lane loops: iterations are independent even where a destination is also a source. */
#ifdef __clang__
#pragma clang diagnostic ignored                                                                   \
    "-Wpass-failed" /* a loop it cannot vectorise is right all the same */
#define PTX_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define PTX_IVDEP _Pragma("GCC ivdep")
#endif
#define PTX_EACH_LANE PTX_IVDEP for (unsigned i = 0; i < PTX_LANES; i++)

/* d[i] = value for the lanes of mask. Inactive lanes compute too: values must be harmless. */
#define PTX_STORE_LANES(d, mask, value)                                                            \
    do {                                                                                           \
        if ((mask) == PTX_FULL) {                                                                  \
            PTX_EACH_LANE(d)[i] = (value);                                                         \
        } else {                                                                                   \
            PTX_EACH_LANE(d)[i] = (mask)&ptx_lane_bit[i] ? (value) : (d)[i];                       \
        }                                                                                          \
    } while (0)

/* The failure of a running kernel: names kernel, line and thread. `lane` is the thread's. */
void ptx_fail(struct ptx_warp *w, const struct ptx_inst *in, unsigned lane, strata_status status,
              const char *format, ...) __attribute__((format(printf, 5, 6)));

/* ---- memory, see memory.c ---- */

/* Fills w->access for the lanes of mask, each `bytes` wide, and checks the addresses. Returns the
 * host addresses by lane; NULL after a failure. */
const uint64_t *ptx_resolve(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                            unsigned bytes);
/* Its two halves: the addresses of all lanes into w->access.address, and the rest. */
void ptx_compute_addresses(struct ptx_warp *w, const struct ptx_inst *in);
const uint64_t *ptx_resolve_addresses(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                                      unsigned bytes);
/* A text or buffer behind a generic address of one lane; NULL if it is not valid memory. *left is
 * how many bytes follow it. */
uint8_t *ptx_generic_pointer(struct ptx_warp *w, unsigned lane, uint64_t address, uint64_t *left);

/* Before a store of a block that runs ahead: lanes that go to an overlay get their host addresses;
 * gives the lanes whose stores are to be deferred. False in *ok: out of memory, which is reported.
 */
uint32_t ptx_prepare_store(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                           unsigned bytes, bool update, bool *ok);

/* Appends stores of independent blocks for later; op is 0 (store) or an atomic's. */
bool ptx_defer(struct ptx_block *block, unsigned op, unsigned type, unsigned bytes, uint32_t mask,
               const uint64_t *address, const void *data, unsigned data_stride);
/* The same for a store of all lanes side by side. */
bool ptx_defer_row(struct ptx_block *block, unsigned bytes, uint64_t address, const void *data);
void ptx_deferred_apply(struct ptx_deferred *deferred);

/* ---- recording, see record.c ---- */
void ptx_record(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask);
void ptx_record_access(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask);

#endif
