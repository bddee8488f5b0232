/* sm_inst.h - what the timed models need to know of a static instruction, decoded once a launch. */
#ifndef STRATA_SM_INST_H
#define STRATA_SM_INST_H

#include <stdbool.h>
#include <stdint.h>
#include <strata/gpu.h>
#include <strata/status.h>
#include <strata/trace.h>

#include "sm/flop_rules.h"
#include "trace/cursor.h"

enum sm_pipe {
    SM_PIPE_NONE = 0,
    SM_PIPE_FMA,
    SM_PIPE_ALU,
    SM_PIPE_FP64,
    SM_PIPE_FP16,
    SM_PIPE_XU,
    SM_PIPE_TENSOR,
    SM_PIPE_UNIFORM,
    SM_PIPE_LSU,
    SM_PIPE_CBU, /* control flow: branches, and where paths part and join */
    SM_N_PIPES
};

enum sm_kind {
    SM_KIND_PLAIN = 0, /* result after a fixed latency */
    SM_KIND_GLOBAL,    /* global, local or texture memory: load, store, atomic, async copy */
    SM_KIND_SHARED,
    SM_KIND_CONSTANT, /* a load of constants; by way of uniform registers if its place is told */
    SM_KIND_BARRIER,
    SM_KIND_MEMBAR,
    SM_KIND_COMMIT, /* closes a group of asynchronous copies */
    SM_KIND_WAIT,   /* waits until at most imm groups are pending */
    SM_KIND_EXIT,
    SM_KIND_ASYNC, /* work of Hopper's asynchronous units: the class tells what */
};

/* Why a warp could not issue; the profiler's stall reasons. */
enum sm_stall {
    SM_STALL_NONE = 0, /* issued as soon as the last instruction allowed */
    SM_STALL_WAIT,     /* fixed latency */
    SM_STALL_LONG,     /* global, local or texture data */
    SM_STALL_SHORT,    /* shared memory, special functions, shuffles */
    SM_STALL_BARRIER,
    SM_STALL_MEMBAR,
    SM_STALL_LG, /* load/store queue full */
    SM_STALL_MIO,
    SM_STALL_MATH,  /* pipe busy */
    SM_STALL_FETCH, /* no instruction */
    SM_STALL_BRANCH,
    SM_STALL_SELECTED, /* another warp was chosen */
    SM_STALL_SLEEP,
    SM_N_STALLS
};
const char *sm_stall_name(enum sm_stall s);

#define SM_MAX_READS  32
#define SM_MAX_WRITES 16
/* Times of registers stand in lines of the machine's cache, of so many words, each with what
 * waiting for its registers is called behind them: an issue that needs one needs the other. */
#define SM_REGISTERS_A_LINE 12
#define SM_WORDS_A_LINE     16
/* The word that a register's time is in, and the words of n registers. */
static inline uint32_t sm_register_place(uint32_t reg)
{
    return reg + reg / SM_REGISTERS_A_LINE * (SM_WORDS_A_LINE - SM_REGISTERS_A_LINE);
}
static inline uint32_t sm_register_words(uint32_t n)
{
    return (n + SM_REGISTERS_A_LINE - 1) / SM_REGISTERS_A_LINE * SM_WORDS_A_LINE;
}
/* Two of them, neither beyond 7, as a byte that is not 0. */
#define SM_LINES(first, last) ((uint8_t)(8u | (first) | (last) << 4))
#define SM_FIRST_LINE(lines)  ((lines)&7u)
#define SM_LAST_LINE(lines)   ((lines) >> 4)

/* Most instructions name so many registers: looked at without asking how many, which differs from
 * one to the next. */
#define SM_FEW 4

/* A decoder's begin with a line of the machine's cache each. */
struct sm_inst {
    uint8_t kind;         /* enum sm_kind */
    uint8_t pipe;         /* enum sm_pipe */
    uint8_t pipe_counter; /* enum launch_counter: the pipe that the profiler counts it for, or 0 */
    uint8_t n_read, n_write;
    bool reads_predicate : 1, writes_predicate : 1, is_branch : 1, is_unknown : 1;
    bool is_own : 1;   /* it concerns nobody but its warp: known, plain, for a pipe of its scheduler
                          that is no tensor core */
    bool is_ahead : 1; /* it may issue a little ahead of what others do: plain, and not for the
                          load/store unit */
    bool waits_for_few : 1; /* `first` has all of its registers */
    bool is_store : 1;      /* to global or local memory */
    uint8_t lines; /* of SM_REGISTERS_A_LINE registers whose times it waits for: SM_LINES of the
                      first and the last of the first eight; 0: it waits for no registers */
    struct strata_control control;
    uint8_t result_stall; /* enum sm_stall of an instruction that waits for this one's result */
    uint8_t flop_counter; /* flop_rule.counter */
    uint32_t interval;    /* cycles the pipe of one scheduler is taken */
    uint32_t hold;        /* cycles besides its own that its scheduler does not issue; its stall
                             count begins behind them */
    uint32_t latency;
    uint32_t fetch_line;
    uint32_t warp_flops;    /* flop_rule.warp_flops */
    uint16_t first[SM_FEW]; /* places of the registers read and then written, the last of them
                               repeated */
    uint16_t write[SM_MAX_WRITES], read[SM_MAX_READS];
    uint8_t to_the_next_line[52];
};

_Static_assert(sizeof(struct sm_inst) == 192, "three lines of the machine's cache");

static inline struct flop_rule sm_inst_flops(const struct sm_inst *i)
{
    return (struct flop_rule){i->flop_counter, i->warp_flops};
}

/* Counts an instruction's operations, for the lanes of `mask`, and for its pipe. */
static inline void sm_count_work(struct launch_counters *c, const struct sm_inst *i, uint32_t mask)
{
    if (i->flop_counter)
        count_flops(c, sm_inst_flops(i), mask);
    *launch_counter_at(c, i->pipe_counter) += i->pipe_counter != 0;
}

/* Grows with the launch's code table; entry i describes static instruction i. */
struct sm_decoder {
    const struct strata_gpu *gpu;
    const struct strata_code *code;
    struct sm_inst *inst;
    struct cursor_code *step; /* of each, what a cursor reads */
    uint32_t n, cap;
    struct sm_inst
        *outgrown[32]; /* earlier, smaller arrays: pointers to their entries stay valid */
    uint32_t n_outgrown;
    uint32_t isa;
    uint32_t max_register; /* highest register number seen */
    uint64_t first_pc;
    bool controlled;    /* the code has control codes */
    uint32_t n_unknown; /* static instructions of unknown opcode */
};

/* Whether accesses to shared memory wait for their scheduler's port (load_store_shared_port). Not
 * in machine code without control codes: its warps wait for registers alone, at times that took the
 * port's place when they were found (truth set with it 4.34 % instead of 4.29). */
static inline bool sm_has_shared_port(const struct sm_decoder *d)
{
    return d->controlled || d->isa == STRATA_ISA_PTX;
}

void sm_decoder_init(struct sm_decoder *d, const struct strata_gpu *gpu,
                     const struct strata_code *code, uint32_t isa);
void sm_decoder_release(struct sm_decoder *d);
/* Decodes what the code table has gained since the last call; or its first n instructions, where
 * somebody else adds to it meanwhile. */
strata_status sm_decoder_update(struct sm_decoder *d, struct strata_error *err);
strata_status sm_decoder_update_to(struct sm_decoder *d, uint32_t n, struct strata_error *err);

#endif
