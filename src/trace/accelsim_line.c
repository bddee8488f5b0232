/* accelsim_line.c - one instruction line of an Accel-Sim trace.
 *
 *   [bx by bz warp] [line] PC mask ndst [Rd..] OPCODE nsrc [Rs..] width [mode addresses] [imm]
 *
 * The block and warp columns exist below tracer version 3, the source line with
 * "-enable lineinfo = 1", imm from version 5 on (late version 4 traces have it
 * too). PC, mask, and addresses are hexadecimal. Whatever the version, a
 * trailing number is taken as imm. */
#include "trace/accelsim.h"

#include <stdlib.h>

#include "base/bits.h"

#define NO_INDEX UINT32_MAX
/* The generic windows of shared and of local memory are 16 MiB each on every GPU with a unified
 * address space. */
#define WINDOW_BYTES (16ull << 20)

enum address_mode { MODE_LIST = 0, MODE_STRIDE = 1, MODE_DELTA = 2 };

/* The addresses of one line. */
struct line_addresses {
    bool strided;
    uint64_t base;
    int32_t stride;
    uint64_t lane[STRATA_WARP_SIZE]; /* if not strided; only active lanes are set */
    int32_t imm;
    const char *end; /* behind the '\n' */
};

/* ---- the tail of a line: mode, addresses, imm ---- */

/* A number that must be followed by a blank or the end of the line. */
static const char *hex_token(const char *p, uint64_t *value)
{
    const char *end = text_hex(p, value);
    return end && text_is_end(*end) ? end : NULL;
}

static const char *signed_token(const char *p, int64_t *value)
{
    const char *end = text_signed(p, value);
    return end && text_is_end(*end) ? end : NULL;
}

/* Behind everything else: nothing, or imm. */
static strata_status read_imm(const struct text *t, const char *p, int32_t *imm, const char **end,
                              struct strata_error *err)
{
    *imm = 0;
    p = text_skip_blanks(p);
    if (*p != '\n') {
        int64_t v;
        const char *q = signed_token(p, &v);
        if (!q || v < INT32_MIN || v > UINT32_MAX)
            return text_fail(
                t, p, err,
                "expected the end of the line or one immediate number; the line has too "
                "many columns for its width, mode and mask.");
        *imm = (int32_t)(uint32_t)v;
        p = text_skip_blanks(q);
        if (*p != '\n')
            return text_fail(t, p, err,
                             "expected the end of the line; it has too many columns for its width, "
                             "mode and mask.");
    }
    *end = p + 1;
    return STRATA_OK;
}

static strata_status read_list(const struct text *t, const char *p, uint32_t mask,
                               struct line_addresses *a, const char **end, struct strata_error *err)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        p = text_skip_blanks(p);
        const char *q = hex_token(p, &a->lane[lowest_bit32(m)]);
        if (!q)
            return text_fail(t, p, err, "expected a hexadecimal address for lane %u.",
                             lowest_bit32(m));
        p = q;
    }
    *end = p;
    return STRATA_OK;
}

static strata_status read_deltas(const struct text *t, const char *p, uint32_t mask,
                                 struct line_addresses *a, const char **end,
                                 struct strata_error *err)
{
    p = text_skip_blanks(p);
    if (!mask && *p == '\n') { /* nothing to give a base for */
        *end = p;
        return STRATA_OK;
    }
    uint64_t address;
    const char *q = hex_token(p, &address);
    if (!q)
        return text_fail(t, p, err, "expected a hexadecimal base address.");
    p = q;
    if (mask)
        a->lane[lowest_bit32(mask)] = address;
    for (uint32_t m = mask & (mask - 1); m; m &= m - 1) {
        int64_t delta;
        p = text_skip_blanks(p);
        q = signed_token(p, &delta);
        if (!q)
            return text_fail(t, p, err, "expected a decimal address difference for lane %u.",
                             lowest_bit32(m));
        address += (uint64_t)delta;
        a->lane[lowest_bit32(m)] = address;
        p = q;
    }
    *end = p;
    return STRATA_OK;
}

/* The upstream parser gives an address to the first run of lanes only; the others get 0. */
static void first_run_only(uint32_t mask, struct line_addresses *a)
{
    unsigned first = lowest_bit32(mask);
    bool in_run = true;
    for (unsigned lane = first; lane < STRATA_WARP_SIZE; lane++) {
        in_run = in_run && mask >> lane & 1;
        a->lane[lane] =
            in_run ? a->base + (uint64_t)(lane - first) * (uint64_t)(int64_t)a->stride : 0;
    }
    a->strided = false;
}

static void expand_stride(uint32_t mask, uint64_t base, uint64_t stride, struct line_addresses *a)
{
    unsigned first = lowest_bit32(mask);
    for (uint32_t m = mask; m; m &= m - 1)
        a->lane[lowest_bit32(m)] = base + (lowest_bit32(m) - first) * stride;
}

static inline bool has_gaps(uint32_t mask)
{
    uint32_t run = mask >> (mask ? lowest_bit32(mask) : 0);
    return run & (run + 1);
}

static strata_status read_stride(struct line_parser *lp, const char *p, uint32_t mask,
                                 struct line_addresses *a, const char **end,
                                 struct strata_error *err)
{
    const struct text *t = lp->text;
    int64_t stride;
    p = text_skip_blanks(p);
    const char *q = hex_token(p, &a->base);
    if (!q)
        return text_fail(t, p, err, "expected a hexadecimal base address.");
    p = text_skip_blanks(q);
    q = signed_token(p, &stride);
    if (!q)
        return text_fail(t, p, err, "expected a decimal stride.");
    *end = q;
    a->strided = stride >= INT32_MIN && stride <= INT32_MAX;
    a->stride = (int32_t)stride;
    if (!a->strided && mask)
        expand_stride(mask, a->base, (uint64_t)stride, a);
    if (has_gaps(mask)) {
        lp->n_gaps++;
        if (lp->compat)
            first_run_only(mask, a);
    }
    return STRATA_OK;
}

/* `p` stands at the mode. */
static strata_status read_addresses(struct line_parser *lp, const char *p, uint32_t mask,
                                    struct line_addresses *a, struct strata_error *err)
{
    const struct text *t = lp->text;
    p = text_skip_blanks(p);
    int mode = *p - '0';
    strata_status st;
    a->strided = false;
    if (!text_is_end(p[0]) && !text_is_end(p[1]))
        mode = -1;
    if (mode == MODE_STRIDE) {
        st = read_stride(lp, p + 1, mask, a, &p, err);
    } else if (mode == MODE_DELTA) {
        st = read_deltas(t, p + 1, mask, a, &p, err);
    } else if (mode == MODE_LIST) {
        st = read_list(t, p + 1, mask, a, &p, err);
    } else if (lp->compat && mode > MODE_DELTA && mode <= 9) {
        /* The upstream parser reads no addresses of an unknown mode: every lane has 0. */
        memset(a->lane, 0, sizeof a->lane);
        a->imm = 0;
        a->end = text_newline(t, p) + 1;
        lp->n_zero_modes++;
        return STRATA_OK;
    } else {
        return text_fail(t, p, err,
                         "expected an address mode: 0 (list), 1 (base and stride) or 2 (base and "
                         "differences).");
    }
    return st ? st : read_imm(t, p, &a->imm, &a->end, err);
}

/* ---- generic addresses ---- */

/* Where the first active lane's address lies decides for the warp, as upstream does. */
static unsigned resolve_space(const struct line_parser *lp, uint64_t address)
{
    if (lp->compat) {
        if (!lp->shared_base || !lp->local_base)
            return STRATA_SPACE_SHARED;
        if (address >= lp->shared_base && address < lp->local_base)
            return STRATA_SPACE_SHARED;
        if (address >= lp->local_base && address < lp->local_base + 16384)
            return STRATA_SPACE_LOCAL;
        return STRATA_SPACE_GLOBAL;
    }
    if (lp->shared_base && address - lp->shared_base < WINDOW_BYTES)
        return STRATA_SPACE_SHARED;
    if (lp->local_base && address - lp->local_base < WINDOW_BYTES)
        return STRATA_SPACE_LOCAL;
    return STRATA_SPACE_GLOBAL;
}

static unsigned space_of(const struct line_parser *lp, const struct line_memo *m, uint32_t mask,
                         const struct line_addresses *a)
{
    if (!m->generic)
        return m->space;
    if (!mask)
        return STRATA_SPACE_GLOBAL;
    return resolve_space(lp, a->strided ? a->base : a->lane[lowest_bit32(mask)]);
}

/* The index of the memo's instruction with another space or immediate. */
static strata_status variant(struct line_parser *lp, struct line_memo *m, unsigned space,
                             int32_t imm, uint32_t *index, struct strata_error *err)
{
    if (imm == m->imm && m->by_space[space] != NO_INDEX) {
        *index = m->by_space[space];
        return STRATA_OK;
    }
    struct strata_inst inst = *strata_code_get(lp->code, m->index);
    inst.space = (uint8_t)space;
    inst.imm = imm;
    strata_status st = strata_code_add(lp->code, &inst, index, err);
    if (!st && imm == m->imm)
        m->by_space[space] = *index;
    return st;
}

static strata_status add_accesses(struct line_parser *lp, uint32_t index, uint32_t mask,
                                  const struct line_addresses *a, struct strata_error *err)
{
    text_end_line(lp->text, a->end);
    if (!mask)
        return strata_builder_add(lp->builder, index, 0, NULL, err);
    if (!a->strided)
        return strata_builder_add(lp->builder, index, mask, a->lane, err);
    /* One lane has no stride; a constant keeps equal records equal. */
    int32_t stride = mask & (mask - 1) ? a->stride : 0;
    return strata_builder_add_strided(lp->builder, index, mask, a->base, stride, err);
}

/* `p` stands at the mode of a line whose static part is `m`. */
static strata_status add_memory(struct line_parser *lp, struct line_memo *m, uint32_t mask,
                                const char *p, struct strata_error *err)
{
    struct line_addresses a;
    uint32_t index = m->index;
    strata_status st = read_addresses(lp, p, mask, &a, err);
    if (!st && (m->generic || a.imm != m->imm))
        st = variant(lp, m, space_of(lp, m, mask, &a), a.imm, &index, err);
    if (st)
        return st;
    lp->n_unknown_opcodes += m->unknown_opcode;
    return add_accesses(lp, index, mask, &a, err);
}

static strata_status add_plain(struct line_parser *lp, const struct line_memo *m, uint32_t mask,
                               const char *end, struct strata_error *err)
{
    text_end_line(lp->text, end);
    lp->n_unknown_opcodes += m->unknown_opcode;
    lp->n_missing_addresses += m->missing_addresses && mask;
    return strata_builder_add(lp->builder, m->index, mask, NULL, err);
}

/* ---- the static part of a line, parsed the first time it appears ---- */

static strata_status read_registers(const struct text *t, const char *p, unsigned most, uint8_t *n,
                                    uint16_t *reg, const char **end, struct strata_error *err)
{
    uint64_t v;
    p = text_skip_blanks(p);
    const char *q = text_decimal(p, &v);
    if (!q || !text_is_end(*q) || v > most)
        return text_fail(t, p, err, "expected a number of registers of at most %u.", most);
    *n = (uint8_t)v;
    p = q;
    for (unsigned i = 0; i < *n; i++) {
        p = text_skip_blanks(p);
        q = *p == 'R' ? text_decimal(p + 1, &v) : NULL;
        if (!q || !text_is_end(*q) || v > UINT16_MAX)
            return text_fail(t, p, err, "expected a register like R4.");
        reg[i] = (uint16_t)v;
        p = q;
    }
    *end = p;
    return STRATA_OK;
}

enum { MAX_OPCODE_BYTES = 128 };

static strata_status read_opcode(const struct text *t, const char *p, char *opcode,
                                 const char **end, struct strata_error *err)
{
    p = text_skip_blanks(p);
    const char *q = p;
    while ((unsigned char)*q > ' ' && (unsigned char)*q < 0x7f)
        q++;
    if (q == p || !text_is_end(*q) || (*p >= '0' && *p <= '9'))
        return text_fail(t, p, err, "expected an opcode like LDG.E.");
    if (q - p >= MAX_OPCODE_BYTES)
        return text_fail(t, p, err, "this opcode has more than %d characters.",
                         MAX_OPCODE_BYTES - 1);
    memcpy(opcode, p, (size_t)(q - p));
    opcode[q - p] = 0;
    *end = q;
    return STRATA_OK;
}

/* From the number of destinations to the width. */
static strata_status read_static(const struct text *t, const char *p, struct strata_inst *inst,
                                 char *opcode, const char **end, struct strata_error *err)
{
    uint64_t width;
    strata_status st = read_registers(t, p, STRATA_MAX_DST, &inst->n_dst, inst->reg, &p, err);
    if (!st)
        st = read_opcode(t, p, opcode, &p, err);
    if (!st)
        st = read_registers(t, p, STRATA_MAX_SRC, &inst->n_src, inst->reg + inst->n_dst, &p, err);
    if (st)
        return st;
    p = text_skip_blanks(p);
    const char *q = text_decimal(p, &width);
    if (!q || !text_is_end(*q) || width > UINT8_MAX)
        return text_fail(t, p, err, "expected an access width of 0 to %u bytes.", UINT8_MAX);
    inst->trace_width = (uint8_t)width;
    inst->opcode = opcode;
    *end = q;
    return STRATA_OK;
}

static void note_unknown(struct line_parser *lp, const char *opcode)
{
    for (int i = 0; i < UNKNOWN_OPCODES_NAMED; i++) {
        char *name = lp->unknown[i];
        size_t n = strcspn(opcode, ".");
        n = n < sizeof lp->unknown[i] ? n : sizeof lp->unknown[i] - 1;
        if (!strncmp(name, opcode, n) && !name[n])
            return;
        if (!name[0]) {
            memcpy(name, opcode, n);
            return;
        }
    }
}

static void remember(struct line_memo *m, const char *from, const char *to)
{
    size_t n = (size_t)(to - from);
    m->length = 0;
    if (n > sizeof m->text)
        return; /* an odd line: it is parsed each time */
    m->length = (uint8_t)n;
    memcpy(m->text, from, n);
}

/* Decodes the opcode and fills all of the memo but its text and the code table's index. */
static void fill_memo(struct line_parser *lp, struct strata_inst *inst, struct line_memo *m)
{
    m->has_addresses = inst->trace_width > 0;
    m->unknown_opcode = !strata_inst_decode_sass(inst, m->has_addresses, lp->compat);
    m->generic = inst->hints & STRATA_HINT_GENERIC;
    m->pc = inst->pc;
    m->source_line = inst->source_line;
    m->imm = inst->imm;
    m->space = inst->space;
    bool has_lanes = inst->space == STRATA_SPACE_GLOBAL || inst->space == STRATA_SPACE_LOCAL ||
                     inst->space == STRATA_SPACE_SHARED;
    m->missing_addresses = !m->has_addresses && inst->opclass == STRATA_OP_MEM && has_lanes;
    for (int i = 0; i < STRATA_N_SPACE; i++)
        m->by_space[i] = NO_INDEX;
    if (m->unknown_opcode)
        note_unknown(lp, inst->opcode);
}

static strata_status parse_new_plain(struct line_parser *lp, struct line_memo *m,
                                     struct strata_inst *inst, uint32_t mask, const char *from,
                                     const char *p, struct strata_error *err)
{
    const char *end = p;
    strata_status st = read_imm(lp->text, p, &inst->imm, &end, err);
    if (st)
        return st;
    fill_memo(lp, inst, m);
    st = strata_code_add(lp->code, inst, &m->index, err);
    if (st)
        return st;
    remember(m, from, end);
    return add_plain(lp, m, mask, end, err);
}

static strata_status parse_new_memory(struct line_parser *lp, struct line_memo *m,
                                      struct strata_inst *inst, uint32_t mask, const char *from,
                                      const char *p, struct strata_error *err)
{
    struct line_addresses a;
    if (!text_is_blank(*p))
        return text_fail(lp->text, p, err,
                         "a width of %u asks for addresses, but the line ends here.",
                         inst->trace_width);
    strata_status st = read_addresses(lp, p + 1, mask, &a, err);
    if (st)
        return st;
    inst->imm = a.imm;
    fill_memo(lp, inst, m);
    inst->space = (uint8_t)space_of(lp, m, mask, &a);
    st = strata_code_add(lp->code, inst, &m->index, err);
    if (st)
        return st;
    m->by_space[inst->space] = m->index;
    lp->n_unknown_opcodes += m->unknown_opcode;
    remember(m, from, p + 1);
    return add_accesses(lp, m->index, mask, &a, err);
}

/* The memo entry of an address whose line was not there. Where misses are many the kernel is larger
 * than the memo: it starts anew with more entries. */
static struct line_memo *memo_for_new(struct line_parser *lp, uint64_t pc)
{
    if (++lp->n_memo_misses > lp->n_memo && lp->n_memo < MEMO_MOST) {
        struct line_memo *larger = calloc(lp->n_memo * 4, sizeof *larger);
        if (larger) {
            free(lp->memo);
            lp->memo = larger;
            lp->n_memo *= 4;
            lp->n_memo_misses = 0;
        }
    }
    return &lp->memo[(pc >> 4) & (lp->n_memo - 1)];
}

/* A line that is not in the memo: `p` stands behind the mask. */
static strata_status parse_new(struct line_parser *lp, struct line_memo *m, uint64_t pc,
                               uint32_t source_line, uint32_t mask, const char *p,
                               struct strata_error *err)
{
    char opcode[MAX_OPCODE_BYTES];
    struct strata_inst inst = {.pc = pc, .source_line = source_line};
    const char *end = p;
    m->length = 0;
    strata_status st = read_static(lp->text, p, &inst, opcode, &end, err);
    if (st)
        return st;
    if (inst.trace_width)
        return parse_new_memory(lp, m, &inst, mask, p, end, err);
    return parse_new_plain(lp, m, &inst, mask, p, end, err);
}

/* ---- lines ---- */

/* The four columns in front of old lines: block x, y, z and warp. They repeat what the section
 * says; where they do not, the section counts, as upstream. */
static strata_status read_lead_columns(struct line_parser *lp, const char **p,
                                       struct strata_error *err)
{
    for (int i = 0; i < 4; i++) {
        uint64_t v;
        const char *at = text_skip_blanks(*p);
        const char *end = text_decimal(at, &v);
        if (!end || !text_is_end(*end))
            return text_fail(lp->text, at, err, "expected the %s number (tracer versions below 3).",
                             i < 3 ? "block" : "warp");
        lp->n_wrong_lead += v != lp->lead[i];
        *p = end;
    }
    *p = text_skip_blanks(*p);
    return STRATA_OK;
}

static strata_status read_source_line(struct line_parser *lp, const char **p, uint32_t *source_line,
                                      struct strata_error *err)
{
    uint64_t v;
    const char *at = text_skip_blanks(*p);
    const char *end = text_decimal(at, &v);
    if (!end || !text_is_end(*end) || v > UINT32_MAX)
        return text_fail(lp->text, at, err, "expected a source line number (lineinfo is on).");
    *source_line = (uint32_t)v;
    *p = text_skip_blanks(end);
    return STRATA_OK;
}

strata_status accelsim_parse_line(struct line_parser *lp, const char *p, struct strata_error *err)
{
    uint64_t pc, mask;
    uint32_t source_line = 0;
    strata_status st = STRATA_OK;
    if (lp->n_lead_columns)
        st = read_lead_columns(lp, &p, err);
    if (!st && lp->lineinfo)
        st = read_source_line(lp, &p, &source_line, err);
    if (st)
        return st;
    p = text_skip_blanks(p);
    const char *q = hex_token(p, &pc);
    if (!q)
        return text_fail(lp->text, p, err, "expected a hexadecimal instruction address.");
    p = text_skip_blanks(q);
    q = hex_token(p, &mask);
    if (!q || mask > UINT32_MAX)
        return text_fail(lp->text, p, err, "expected a hexadecimal mask of 32 lanes.");
    p = text_skip_blanks(q);
    struct line_memo *m = &lp->memo[(pc >> 4) & (lp->n_memo - 1)];
    if (!m->length || m->pc != pc || m->source_line != source_line || memcmp(p, m->text, m->length))
        return parse_new(lp, memo_for_new(lp, pc), pc, source_line, (uint32_t)mask, p, err);
    if (m->has_addresses)
        return add_memory(lp, m, (uint32_t)mask, p + m->length, err);
    return add_plain(lp, m, (uint32_t)mask, p + m->length, err);
}
