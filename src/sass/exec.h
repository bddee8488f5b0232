/* exec.h - machine code made ready to run, and the state of a warp that runs it.
 *
 * Registers are rows: 32 lanes of 4 bytes side by side. A warp has a file of rows: R0 on, a few
 * rows that are always zero (RZ and what follows it in a wide access), a few that take results
 * nobody wants, the uniform registers (all lanes the same, so that every operand is read alike and
 * a uniform instruction is the plain one for all lanes) and rows to prepare operands in. Constants
 * and immediates are rows too, shared by all warps: constant banks do not change while a launch
 * runs. A 64-bit value is two rows, low and high, as on hardware.
 *
 * Lowering (lower*.c) chooses a handler and its rows once for every static instruction. */
#ifndef STRATA_SASS_EXEC_H
#define STRATA_SASS_EXEC_H

#include "emulator/emulator.h"
#include "sass/cubin.h"
#include "sass/inst.h"

struct sass_warp;
struct sass_exec;
typedef void sass_handler(struct sass_warp *w, const struct sass_exec *op, uint32_t mask);

#define SASS_ROW_BYTES 128u
#define SASS_ROW_WORDS 32u

/* Rows of a warp's file behind its registers. */
enum {
    SASS_ROWS_ZERO = 8, /* RZ */
    SASS_ROWS_SINK = 8, /* results that go to RZ */
    SASS_ROWS_UNIFORM = 72,
    SASS_ROWS_TEMP = 12 /* four for each of three operands */
};

/* Where a row lies: in the warp's file, or (top bit) among the launch's constants. */
#define SASS_REF_CONST 0x80000000u
#define SASS_NO_ROW    UINT32_MAX

/* Predicates of a warp: masks of lanes. P0..P6, PT, a place for unwanted results, UP0..UP6, UPT.
 * In an instruction the top bit negates. */
enum {
    SASS_PRED_TRUE = 7,
    SASS_PRED_SINK = 8,
    SASS_PRED_UNIFORM = 16,
    SASS_N_PREDS = 32,
    SASS_PRED_NOT = 0x80
};

/* What has to be done to an operand before it is used. */
enum sass_prep {
    SASS_PREP_NONE = 0,
    SASS_PREP_FNEG, /* f32: sign, also of each of two halves where said */
    SASS_PREP_FABS,
    SASS_PREP_FNEGABS,
    SASS_PREP_INEG,
    SASS_PREP_INOT,
    SASS_PREP_DNEG, /* f64 in two rows */
    SASS_PREP_DABS,
    SASS_PREP_DNEGABS
};

enum sass_flow {
    SASS_STEP = 0, /* run the handler, go to the next */
    SASS_ACCESS,   /* the same, with addresses to record and possible failure */
    SASS_CHECKED,  /* the same, possible failure, nothing to record but the instruction */
    SASS_SELF,     /* the same, and the handler records the instruction */
    SASS_WAITS,    /* the same, and it may set w->must_wait: then it runs again later */
    SASS_CONTROL   /* changes where lanes are: sass_control_step */
};

/* One instruction. Fields a handler does not need are zero. */
struct sass_exec {
    sass_handler *run;
    uint32_t d, a, b, c;        /* rows */
    uint8_t prep[3];            /* enum sass_prep of a, b, c */
    uint8_t guard;              /* predicate */
    uint8_t pd, pd2;            /* predicates written */
    uint8_t ps, ps2, ps3;       /* predicates read */
    uint8_t flow;               /* enum sass_flow */
    bool swaps;                 /* a compare and swap: see emu_meets_others */
    bool loads_for_swap;        /* what a compare and swap of shared memory compares with */
    bool uniform;               /* runs once for the warp: all lanes */
    uint8_t words;              /* of a memory access or of a wide operand: 32-bit registers */
    uint8_t width;              /* of a memory access: bytes of a lane */
    uint8_t mode, mode2, mode3; /* a handler's own */
    uint8_t rounding;           /* FE_... mode index, 0: nearest */
    bool ftz, sat;
    bool is_signed;
    uint16_t opcode; /* enum sass_op */
    uint32_t target; /* index of an instruction */
    int64_t imm;
    const void *extra;
    struct emu_site site;
};

/* ---- code ---- */

/* Where a function's code lies, by its address as programs see it. */
struct sass_range {
    uint64_t base, bytes;
    uint32_t first; /* index of its first instruction */
    const struct sass_kernel *function;
};

/* A constant operand: a row (two for 64 bits) that is filled when a launch begins. */
struct sass_constant {
    uint8_t bank;  /* SASS_IMMEDIATE: the value itself */
    uint8_t words; /* rows */
    uint32_t offset;
    uint64_t value;
    uint32_t row; /* number of its first row */
};
#define SASS_IMMEDIATE 0xff

struct sass_image {
    struct emu_image base;
    const struct sass_kernel *kernel;
    uint32_t source_file; /* of most of its lines; SASS_UNDEFINED: not known */
    struct sass_exec *code;
    size_t n_code;
    struct sass_range *ranges; /* [0] is the entry */
    size_t n_ranges;
    struct sass_constant *constants;
    size_t n_constants, cap_constants;
    uint32_t n_constant_rows;
    uint32_t n_registers; /* rows of the file for registers */
    uint32_t param_base;
    bool is_lowered;
    bool has_bulk_groups;        /* DEPBAR waits for bulk copies, not for those of single threads */
    struct strata_error refusal; /* why it cannot be run, status STRATA_OK if it can */
};

/* ---- warps ---- */

/* What else a path may wait at, as its state. */
enum sass_path_state {
    SASS_AT_BSYNC = EMU_AT_OTHERS, /* convergence barrier `barrier` */
    SASS_AT_WARPSYNC,              /* lanes of `wait_mask` */
    SASS_AT_COLLECTIVE             /* the same, then all go on together at the target */
};
#define SASS_BARRIERS 16

struct sass_warp {
    struct emu_warp base;
    uint8_t *file;            /* rows */
    const uint8_t *constants; /* rows of the launch */
    const struct sass_image *image;
    uint32_t pred[SASS_N_PREDS];
    bool owes_turn;                /* to its other paths, at the next branch */
    uint32_t yielded;              /* lanes that have, and have not gone on since */
    uint8_t yielded_in[EMU_LANES]; /* the barrier that closes the region, + 1; 0: none does */
    /* Convergence barriers: for every lane the lanes it will wait for. Kept by lane because lanes
     * that run apart may use the same barrier for different groups. */
    uint32_t convergence[SASS_BARRIERS][EMU_LANES];
    uint32_t return_pc[EMU_LANES];                      /* behind a collective */
    uint32_t zero_row, sink_row, uniform_row, temp_row; /* byte offsets in the file */
    uint32_t bar_count[EMU_LANES], bar_true; /* what the last barrier with a reduction gave */
};

/* What a launch's warps share. */
struct sass_run {
    uint8_t *constants; /* rows */
    uint8_t *bank[32];  /* images of constant banks */
    uint32_t bank_bytes[32];
};

static inline const struct sass_run *sass_run_of(const struct sass_warp *w)
{
    return w->base.block->run->state;
}

/* ---- rows ---- */

static inline uint32_t *sass_row(const struct sass_warp *w, uint32_t ref)
{
    /* The constants are never written: no destination has the top bit. */
    return ref & SASS_REF_CONST ? (uint32_t *)(uintptr_t)(w->constants + (ref & ~SASS_REF_CONST))
                                : (uint32_t *)(void *)(w->file + ref);
}
/* The k-th row of a wide operand. */
static inline uint32_t *sass_row_at(const struct sass_warp *w, uint32_t ref, unsigned k)
{
    return sass_row(w, ref) + k * SASS_ROW_WORDS;
}

const uint32_t *sass_prepare(struct sass_warp *w, uint32_t ref, unsigned prep, unsigned operand);

/* Operand 0, 1 or 2 as a row, with its signs applied. */
static inline const uint32_t *sass_source(struct sass_warp *w, const struct sass_exec *op,
                                          uint32_t ref, unsigned operand)
{
    return op->prep[operand] ? sass_prepare(w, ref, op->prep[operand], operand) : sass_row(w, ref);
}
#define SASS_A(w, op) sass_source(w, op, (op)->a, 0)
#define SASS_B(w, op) sass_source(w, op, (op)->b, 1)
#define SASS_C(w, op) sass_source(w, op, (op)->c, 2)

static inline uint32_t sass_pred(const struct sass_warp *w, uint8_t ref)
{
    uint32_t p = w->pred[ref & 31];
    return ref & SASS_PRED_NOT ? ~p : p;
}
static inline void sass_set_pred(struct sass_warp *w, uint8_t ref, uint32_t mask, uint32_t value)
{
    w->pred[ref] = (w->pred[ref] & ~mask) | (value & mask);
}

/* ---- control, see flow.c ---- */

enum emu_turn sass_warp_run(struct sass_warp *w, uint64_t budget);
void sass_warp_start(struct sass_warp *w, uint32_t live);
bool sass_warp_release(struct sass_warp *w);
/* Index of the instruction at an address; EMU_NO_INDEX: there is none. */
uint32_t sass_index_of(const struct sass_image *image, uint64_t address);
uint64_t sass_address_of(const struct sass_image *image, uint32_t index);

/* What a control instruction does; op->mode of SASS_CONTROL. */
enum sass_control_kind {
    SASS_DO_BRANCH,      /* op->target; lanes of ps too */
    SASS_DO_BRANCH_DIV,  /* if lanes of row a (imm if none) are missing or fail the guard */
    SASS_DO_BRANCH_CONV, /* if none is missing */
    SASS_DO_JUMP,        /* row a (pair) + imm */
    SASS_DO_EXIT,
    SASS_DO_BSSY, /* barrier mode2; of SASS_DO_YIELD the one its region ends at, + 1, 0: none */
    SASS_DO_BSYNC,
    SASS_DO_BREAK,
    SASS_DO_WARPSYNC,   /* row a, imm if none; mode2: who names others goes on by itself */
    SASS_DO_COLLECTIVE, /* the same, and target */
    SASS_DO_END_COLLECTIVE,
    SASS_DO_BAR, /* see struct sass_bar */
    SASS_DO_YIELD,
    SASS_DO_SYSCALL, /* a call into the system: mode2 is enum sass_syscall */
    SASS_DO_TRAP
};
struct sass_bar {
    bool arrive;      /* does not wait */
    uint8_t reduce;   /* enum sass_bar_reduce */
    bool packed;      /* one row holds the number in its low bits, the threads above bit 16 */
    uint32_t threads; /* row, SASS_NO_ROW: all */
};
enum sass_bar_reduce { SASS_BAR_NONE, SASS_BAR_POPC, SASS_BAR_AND, SASS_BAR_OR };

enum sass_syscall {
    SASS_CALL_NONE = 0,
    SASS_CALL_VPRINTF,
    SASS_CALL_MALLOC,
    SASS_CALL_FREE,
    SASS_CALL_ASSERTFAIL,
    SASS_N_SYSCALLS
};
/* Code addresses of functions the emulator provides: no code lies there. */
#define SASS_SYSCALL_BASE (STRATA_CODE_WINDOW | 0x00ff000000000000ull)
#define SASS_CODE_BASE    0x1000u
void sass_run_syscall(struct sass_warp *w, const struct sass_exec *op, unsigned syscall,
                      uint32_t mask);

#endif
