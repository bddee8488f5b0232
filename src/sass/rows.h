/* rows.h - the short words in which the rows of the tables are written; for rows_*.c only. */
#ifndef STRATA_SASS_ROWS_H
#define STRATA_SASS_ROWS_H

#include "sass/table.h"

/* clang-format off */
#define ROWS(name, ...) \
    static const struct sass_row name##_rows[] = {__VA_ARGS__}; \
    const struct sass_rows sass_rows_##name = {name##_rows, sizeof name##_rows / sizeof *name##_rows}

/* Opcodes: arithmetic with a free form, uniform arithmetic, all twelve bits with bit 91 clear,
 * set, or either. */
#define ALU(name, code)     .op = SASS_##name, .opcode = code, .flags = ROW_ALU
#define UALU(name, code)    .op = SASS_##name, .opcode = code, .flags = ROW_ALU | ROW_UNIFORM
#define OP(name, code)      .op = SASS_##name, .opcode = code
#define OP0(name, code)     .op = SASS_##name, .opcode = code, .flags = ROW_NO91
#define OP1(name, code)     .op = SASS_##name, .opcode = code, .flags = ROW_BIT91
#define UOP(name, code)     .op = SASS_##name, .opcode = code, .flags = ROW_BIT91 | ROW_UNIFORM

#define FROM(arch) .arch_min = arch
#define TILL(arch) .arch_max = arch
#define FORMS(...) .forms = __VA_ARGS__
#define F_RRR (1 << SASS_FORM_RRR)
#define F_RRI (1 << SASS_FORM_RRI)
#define F_RRC (1 << SASS_FORM_RRC)
#define F_RIR (1 << SASS_FORM_RIR)
#define F_RCR (1 << SASS_FORM_RCR)
#define F_RUR (1 << SASS_FORM_RUR)
#define F_RRU (1 << SASS_FORM_RRU)

#define WHEN(...)   .when = {__VA_ARGS__}
#define IS(at, width, value) {at, width, value}
#define POWER_OF_2(at) {at, 32, SASS_WHEN_POWER_OF_2}
#define NOT_ONES(at, width) {at, width, SASS_WHEN_NOT_ONES}

#define WORDS(...)  (const uint16_t[]){__VA_ARGS__}
#define W(word)     SASS_W_##word
#define Q(word)     (SASS_W_##word | SASS_SILENT) /* quiet: known, not printed */
#define BAD         SASS_W_INVALID

#define MODS(...)   .field = {__VA_ARGS__}
#define M(kind, at, width, words)               {SASS_M_##kind, at, width, 0, 0, words}
#define M2(kind, at, width, at2, width2, words) {SASS_M_##kind, at, width, at2, width2, words}
#define BIT(kind, at, word)    {SASS_M_##kind, at, 1, 0, 0, WORDS(0, W(word))}
#define BIT0(kind, at, word)   {SASS_M_##kind, at, 1, 0, 0, WORDS(W(word), 0)}
#define EITHER(kind, at, word0, word1) {SASS_M_##kind, at, 1, 0, 0, WORDS(word0, word1)}
#define ALWAYS(kind, word)     {SASS_M_##kind, 0, 0, 0, 0, WORDS(word)}

#define SLOTS(...)  .slot = {__VA_ARGS__}
#define A_(f)       {.kind = SLOT_A, .flags = f}
#define B_(f)       {.kind = SLOT_B, .flags = f}
#define C_(f)       {.kind = SLOT_C, .flags = f}
#define BC_(f)      {.kind = SLOT_BC, .flags = f}
#define RD          {.kind = SLOT_R, .at = 16, .flags = FLAG_DEST}
#define URD         {.kind = SLOT_UR, .at = 16, .flags = FLAG_DEST}
#define R(a)        {.kind = SLOT_R, .at = a}
#define UR(a)       {.kind = SLOT_UR, .at = a}
#define R_(a, f)    {.kind = SLOT_R, .at = a, .flags = f}
#define UR_(a, f)   {.kind = SLOT_UR, .at = a, .flags = f}
#define R_REUSE(a, n) {.kind = SLOT_R, .at = a, .abs = n, .flags = FLAG_REUSE}
#define R_WORD(a, n, words, s_at, s_width) \
    {.kind = SLOT_R, .at = a, .abs = n, .flags = FLAG_REUSE, .suffix = words, .suffix_at = s_at, .suffix_width = s_width}
/* predicates: results, sources; H not printed if PT, F not printed if !PT */
#define PD(a)       {.kind = SLOT_P, .at = a, .flags = FLAG_DEST}
#define PDH(a)      {.kind = SLOT_P, .at = a, .flags = FLAG_DEST | FLAG_HIDE_T}
#define P(a, n)     {.kind = SLOT_P, .at = a, .neg = n}
#define PH(a, n)    {.kind = SLOT_P, .at = a, .neg = n, .flags = FLAG_HIDE_T}
#define PF(a, n)    {.kind = SLOT_P, .at = a, .neg = n, .flags = FLAG_HIDE_F}
#define UPD(a)      {.kind = SLOT_UP, .at = a, .flags = FLAG_DEST}
#define UPDH(a)     {.kind = SLOT_UP, .at = a, .flags = FLAG_DEST | FLAG_HIDE_T}
#define UP(a, n)    {.kind = SLOT_UP, .at = a, .neg = n}
#define UPH(a, n)   {.kind = SLOT_UP, .at = a, .neg = n, .flags = FLAG_HIDE_T}
#define IMM(a, w)   {.kind = SLOT_IMM, .at = a, .width = w}
#define IMMS(a, w)  {.kind = SLOT_IMM, .at = a, .width = w, .flags = FLAG_SIGNED}
#define IMMH(a, w)  {.kind = SLOT_IMM, .at = a, .width = w, .flags = FLAG_HIDE_T}
#define WORDOP(a, w, words) {.kind = SLOT_WORD, .at = a, .width = w, .suffix = words, .suffix_at = a, .suffix_width = w}
/* [R + imm24], and with a uniform register at u; wide: bit that makes the register a pair */
#define MEM(extra)        {.kind = SLOT_MEM, .at = 24, .aux = 40, .width = 24, .flags = extra}
#define MEMU(u, extra)    {.kind = SLOT_MEM_U, .at = 24, .aux = 40, .width = 24, .ureg = u, .flags = extra}
#define MEMD(u, wide)     MEMD_(u, wide, 76)
#define MEMD_(u, wide, bit) {.kind = SLOT_MEM_U, .at = 24, .aux = 40, .width = 24, .ureg = u, .neg = wide, \
                             .desc = bit, .flags = FLAG_WIDE64}

#define E_BIT  BIT(EXTENDED, 72, E)
#define SEM_75 M(SEM, 79, 2, sass_set_sem_75), M(SCOPE, 77, 2, sass_set_scope_75)
#define SEM_80 M(SEM, 77, 4, sass_set_sem_80), M(SCOPE, 77, 4, sass_set_scope_80), \
               M(PRIVATE, 77, 4, sass_set_private_80)

#define NEG FLAG_NEG
#define ABS FLAG_ABS
#define INV FLAG_INV
#define HALF FLAG_HALF
#define SIGNED FLAG_SIGNED
#define FLOAT FLAG_FLOAT
#define DOUBLE FLAG_DOUBLE
/* clang-format on */

/* Sets of words that several files use (sets.c). */
extern const uint16_t sass_set_compare_int[8], sass_set_compare_float[16], sass_set_bool[4],
    sass_set_round[4], sass_set_size[8], sass_set_atomic[16], sass_set_integer_atomic_type[8],
    sass_set_cache[8], sass_set_prefetch[4], sass_set_shift_type[4], sass_set_float_round[4],
    sass_set_stride[4], sass_set_sem_75[4], sass_set_scope_75[4], sass_set_sem_80[16],
    sass_set_scope_80[16], sass_set_private_80[16], sass_set_prmt[8], sass_set_float_type[4],
    sass_set_int_type[8];

#endif
