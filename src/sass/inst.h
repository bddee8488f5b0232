/* inst.h - one decoded instruction of NVIDIA machine code (Volta's 128-bit encoding, sm_75 and
 * later), with every field an executor needs; nothing has to be read out of its text.
 *
 * Operands stand in the order of the text, results first, and each row of the table gives an opcode
 * the same places always: an operand that the text leaves out (a carry that goes to PT, an added
 * uniform register URZ) is there with SASS_HIDDEN set. Modifiers are words: `mod[SASS_M_CMP] ==
 * SASS_W_LT`. A modifier the text leaves out because it is the usual one has its word too
 * (SASS_W_32 for a plain LDG); a modifier that the opcode does not have is SASS_W_NONE. */
#ifndef STRATA_SASS_INST_H
#define STRATA_SASS_INST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sass/names.h"

#define SASS_INST_BYTES   16
#define SASS_MAX_OPERANDS 14

#define SASS_RZ 255 /* register that reads as zero */
#define SASS_URZ                                                                                   \
    255 /* uniform register that reads as zero, whatever its code in this architecture */
#define SASS_NO_UREG       254 /* in struct sass_operand: the encoding has no uniform register here */
#define SASS_PT            7   /* predicate that is true, also for uniform predicates */
#define SASS_NO_SCOREBOARD 7

enum sass_operand_kind {
    SASS_NONE,
    SASS_REG,        /* reg */
    SASS_UREG,       /* reg */
    SASS_PRED,       /* reg; SASS_NOT */
    SASS_UPRED,      /* reg; SASS_NOT */
    SASS_PREDS,      /* all predicates at once ("PR"), or uniform ones ("UPR": reg is 1) */
    SASS_IMM,        /* value: the integer, sign-extended where the opcode takes signed ones */
    SASS_IMM_F16,    /* value: two IEEE bit patterns in one word, as the register would hold them */
    SASS_IMM_BF16,   /* the same in bf16 */
    SASS_IMM_F32,    /* value: IEEE bit pattern */
    SASS_IMM_F64,    /* value: IEEE bit pattern; the low word is always zero */
    SASS_CONST,      /* c[bank][reg + value]; reg is SASS_RZ if there is none */
    SASS_CONST_UREG, /* cx[ureg][value]: the bank is named by a descriptor in ureg, ureg+1 */
    SASS_MEMORY,     /* [reg + ureg + value], with desc[]: see struct sass_operand */
    SASS_DESCRIPTOR, /* desc[reg]: a uniform register pair with a cache policy; gdesc[reg] if bank
                        is 1: descriptors of matrices */
    SASS_LABEL,      /* value: byte address of the target in the function; with reg: reg + value */
    SASS_SPECIAL,    /* value: number of the special register, sass_special_name() */
    SASS_BARRIER,    /* value: convergence barrier B0..B15, or a SASS_BMOV_... word in suffix */
    SASS_SCOREBOARD, /* value: SB0..SB5 */
    SASS_SCOREBOARDS, /* value: mask, printed as {5,4,...} */
    SASS_WORD         /* suffix: a bare word as operand (texture shapes, BMOV's state names) */
};

enum sass_operand_flags {
    SASS_NEG = 1,
    SASS_ABS = 2,
    SASS_NOT = 4,     /* predicate: !P; register: ~R */
    SASS_REUSE = 8,   /* the register's value stays in the operand cache */
    SASS_HIDDEN = 16, /* not in the text */
    SASS_DEST = 32    /* written by the instruction */
};

struct sass_operand {
    uint8_t kind;         /* enum sass_operand_kind */
    uint8_t flags;        /* enum sass_operand_flags */
    uint8_t reg;          /* register, uniform register or predicate; SASS_RZ: none or zero */
    uint8_t ureg;         /* uniform register added to an address or index, or cx's descriptor */
    uint8_t bank;         /* constant bank */
    uint8_t desc;         /* uniform register pair with the memory descriptor; SASS_URZ: none */
    uint16_t suffix;      /* enum sass_word after the register: .H0_H0, .B1, .64, .U32, .X4, .ROW */
    uint16_t ureg_suffix; /* the same for ureg */
    int64_t value;
};

/* What the assembler wrote beside the instruction for the scheduler. */
struct sass_control {
    uint8_t stall;         /* cycles before the warp's next instruction may issue */
    uint8_t yield;         /* 1: the scheduler may prefer another warp */
    uint8_t write_barrier; /* scoreboard freed when results are written, or SASS_NO_SCOREBOARD */
    uint8_t read_barrier;  /* scoreboard freed when operands are read, or SASS_NO_SCOREBOARD */
    uint8_t wait_mask;     /* scoreboards to wait for before issue, bit i is SBi */
    uint8_t reuse;         /* bit 0, 1, 2: operands a, b, c */
};

struct sass_row;

struct sass_inst {
    uint64_t low, high; /* the encoding */
    uint64_t address;   /* byte address in the function */
    const struct sass_row *row;
    uint16_t op;              /* enum sass_op */
    uint8_t guard, guard_not; /* @P0: 0, 0; @!P3: 3, 1; always: SASS_PT, 0 */
    bool guard_uniform;       /* @UP0: of the uniform instructions */
    uint8_t n_operands;
    struct sass_control control;
    uint16_t mod[SASS_M_COUNT]; /* enum sass_word by enum sass_mod */
    struct sass_operand operand[SASS_MAX_OPERANDS];
};

/* Decodes one instruction. arch is 75 for sm_75, 90 for sm_90 and sm_90a. False: no row of the
 * table fits; out then has the opcode SASS_UNKNOWN, the guard and the control codes. */
bool sass_decode(uint64_t low, uint64_t high, uint64_t address, uint32_t arch,
                 struct sass_inst *out);

/* The text nvdisasm prints, without the final semicolon. Returns its length; the text is cut, and
 * ends with NUL, if size is too small. 256 bytes always suffice. */
size_t sass_print(const struct sass_inst *i, char *text, size_t size);

/* The shape of a warpgroup's product, 64 rows; false: it is none. */
struct sass_gmma_shape {
    uint16_t n, k;
};
/* Whether only half of A is there. */
bool sass_gmma_is_sparse(const struct sass_inst *i);
bool sass_gmma_shape(const struct sass_inst *i, struct sass_gmma_shape *out);

const char *sass_op_name(enum sass_op op);
const char *sass_word_text(enum sass_word word);
/* "SR_TID.X"; NULL if the number has no name. */
const char *sass_special_name(uint32_t number);

#endif
