/* table.h - how the tables of the decoder are written: a row per opcode and variant, with the
 * places of modifiers and operands in the 128 bits. The rows are in rows_*.c.
 *
 * Places of the Volta encoding (ISA notes and encoders that are public agree on them): opcode in
 * bits 0..11 and 91; guard in 12..15; result register at 16; sources a at 24, b at 32, c at 64;
 * control codes from 105 on. Arithmetic opcodes have nine bits; bits 9..11 are the form, which says
 * what stands in the 32 bits from bit 32 on: */
#ifndef STRATA_SASS_TABLE_H
#define STRATA_SASS_TABLE_H

#include "sass/inst.h"

enum sass_form {
    SASS_FORM_RRR = 1, /* b is a register */
    SASS_FORM_RRI = 2, /* c is immediate, b the register at 64 */
    SASS_FORM_RRC = 3, /* c is a constant, b the register at 64 */
    SASS_FORM_RIR = 4, /* b is immediate */
    SASS_FORM_RCR = 5, /* b is a constant */
    SASS_FORM_RUR = 6, /* b is a uniform register */
    SASS_FORM_RRU = 7  /* c is a uniform register, b the register at 64 */
};

/* A modifier: `width` bits from `at`, and above them `width2` bits from `at2`, name a word. */
struct sass_field {
    uint8_t mod; /* enum sass_mod */
    uint8_t at, width, at2, width2;
    const uint16_t *word; /* by value; SASS_SILENT: known but not printed */
};
#define SASS_SILENT     0x8000u
#define SASS_WORD_OF(w) ((w)&0x7fffu)

enum sass_slot_kind {
    SLOT_END,
    SLOT_A, /* sources of arithmetic, placed by the form */
    SLOT_B,
    SLOT_C,
    SLOT_BC, /* b in the forms with b first, else c: two-source opcodes that use both */
    SLOT_R,  /* register at `at` */
    SLOT_UR,
    SLOT_P, /* predicate at `at`, negated by bit `neg` */
    SLOT_UP,
    SLOT_PMIX,  /* predicate, uniform if bit `width` is set */
    SLOT_PREV,  /* predicate with 7 - code, negated by bit `neg`; 0 is PT */
    SLOT_UPREV, /* the same for a uniform one */
    SLOT_PR,    /* "PR": all predicates */
    SLOT_UPR,
    SLOT_IMM,       /* `width` bits at `at`; FLAG_SIGNED */
    SLOT_IMM2,      /* the bits of `aux` (low) and `at` (high) */
    SLOT_F32,       /* 32 bits at `at` */
    SLOT_CONST,     /* c[bank at 54][offset at 38..53] */
    SLOT_CONST_IDX, /* c[bank at 54][register at 24 + offset at 38..53] */
    SLOT_CONST_UIDX,
    SLOT_CONST_WIDE, /* c[bank at 54][uniform register at 24 + offset at 37..53] */
    SLOT_MEM,        /* [register at `at` + immediate]; immediate of `width` bits at `aux` */
    SLOT_MEM_U,      /* the same and a uniform register at `ureg` */
    SLOT_GDESC,      /* uniform registers at `at` with descriptors of matrices */
    SLOT_DESCRIPTOR, /* uniform register at `at`, printed as desc[] */
    SLOT_LABEL,   /* relative to the next instruction: bits 34.. and 16..23, in units of 4 bytes */
    SLOT_LABEL30, /* relative, bits 34..63 only */
    SLOT_LABEL24, /* relative, bits 24..63, in bytes */
    SLOT_TARGET,  /* absolute, same bits */
    SLOT_OFFSET,  /* the distance itself, same bits */
    SLOT_SPECIAL,
    SLOT_BAR,   /* convergence barrier, 4 bits at `at` */
    SLOT_SB,    /* scoreboard, `width` bits at `at` */
    SLOT_SBS,   /* mask of scoreboards */
    SLOT_STATE, /* state of the convergence unit, 6 bits at `at` */
    SLOT_WORD   /* word of `suffix` by `width` bits at `at` */
};

enum sass_slot_flags {
    FLAG_DEST = 1,
    FLAG_NEG = 2, /* of a, b, c: at the usual bit of the place */
    FLAG_ABS = 4,
    FLAG_INV = 8,   /* the negation bit means ~ */
    FLAG_HALF = 16, /* halves: own places of negation, and .H0_H0 / .H1_H1 */
    FLAG_SIGNED = 32,
    FLAG_HIDE_T = 64,  /* not printed if it is PT (RZ, URZ, zero) without a sign */
    FLAG_HIDE_F = 128, /* not printed if it is !PT */
    FLAG_HIDDEN = 256,
    FLAG_SPACE = 512,    /* a space, not a comma, before it */
    FLAG_FLOAT = 1024,   /* immediates: f32 */
    FLAG_DOUBLE = 2048,  /* immediates: upper half of an f64 */
    FLAG_WIDE64 = 8192,  /* memory: the register prints .64 or .U32 by bit `neg` */
    FLAG_REUSE = 16384,  /* register: bit 122 + abs */
    FLAG_X = 32768,      /* memory: .X4 .X8 .X16 by bits 78..79 */
    FLAG_ZERO = 65536,   /* constants: an index register RZ is printed if the offset is 0 */
    FLAG_TIGHT = 131072, /* constants of halves: no space between the brackets */
    FLAG_NO64 = 524288,  /* no sign where the register stands at 64: the bit means something else */
    FLAG_UNIT32 = 1048576, /* memory: the offset counts 32 bytes */
    FLAG_WHOLE = 262144    /* immediates of 64 bits: printed without a sign */
};

struct sass_slot {
    uint8_t kind;
    uint8_t at, width;
    uint8_t neg, abs; /* bits, or 0 */
    uint8_t aux, ureg;
    uint8_t suffix_at, suffix_width;
    uint8_t
        desc; /* memory: bit that makes the uniform register a descriptor; register: its reuse */
    uint8_t hide; /* value that is not printed; 0: none */
    uint32_t flags;
    const uint16_t *suffix;
};

struct sass_when {
    uint8_t at, width;
    uint16_t value;
};

/* Values with a meaning of their own. */
#define SASS_WHEN_POWER_OF_2 0xffff /* a power of two above one */
#define SASS_WHEN_NOT_ONES   0xfffe /* not all bits set: not RZ, not PT */

enum sass_row_flags {
    ROW_ALU = 1,     /* opcode has nine bits, the form is free */
    ROW_UNIFORM = 2, /* registers are uniform ones, the guard too */
    ROW_BIT91 = 4,   /* bit 91 must be set (ROW_ALU: by form) */
    ROW_NO91 = 8
};

#define SASS_MAX_FIELDS 14
#define SASS_MAX_WHEN   4

struct sass_row {
    uint16_t op;     /* enum sass_op */
    uint16_t opcode; /* bits 0..11; with ROW_ALU bits 0..8 */
    uint8_t flags;
    uint8_t forms;                            /* with ROW_ALU: bit f for form f; 0: all */
    uint16_t arch_min, arch_max;              /* 0: no limit */
    struct sass_when when[SASS_MAX_WHEN];     /* width 0 ends them */
    struct sass_field field[SASS_MAX_FIELDS]; /* in the order of the text; width 0 ends them */
    struct sass_slot slot[SASS_MAX_OPERANDS];
};

struct sass_rows {
    const struct sass_row *row;
    size_t n;
};
extern const struct sass_rows sass_rows_integer, sass_rows_float, sass_rows_half, sass_rows_convert,
    sass_rows_memory, sass_rows_atomic, sass_rows_flow, sass_rows_warp, sass_rows_uniform,
    sass_rows_tensor, sass_rows_texture, sass_rows_async;

/* Bits `at` .. `at + width - 1` of an instruction; width is at most 64. */
static inline uint64_t sass_bits(uint64_t low, uint64_t high, unsigned at, unsigned width)
{
    uint64_t v;
    if (at >= 64)
        v = high >> (at - 64);
    else
        v = at ? low >> at | high << (64 - at) : low;
    return width >= 64 ? v : v & ((UINT64_C(1) << width) - 1);
}

#endif
