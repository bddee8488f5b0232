/* accelsim_reader.c - the thread-block sections of an Accel-Sim kernel file.
 *
 *   #BEGIN_TB
 *   thread block = x,y,z
 *   warp = W
 *   insts = K
 *   K instruction lines, then further warps
 *   #END_TB
 *
 * Blank lines may stand anywhere; blocks may come in any order. A file that
 * ends within a block lost its end: what is there of the block is used if the
 * options are lenient. */
#include "trace/accelsim.h"

#include <stdio.h>
#include <stdlib.h>

#include "trace/blockset.h"

struct accelsim_reader {
    struct text text;
    struct accelsim_header header;
    struct line_parser lines;
    struct strata_builder *builder;
    struct blockset seen;
    uint64_t n_blocks;
    uint32_t n_warps;
    bool lenient;
    bool cut;  /* the file ended within a block */
    bool over; /* nothing more to give */
    /* The block being read. */
    struct strata_dim3 index;
    bool has_index, has_warp;
    bool has_count; /* "insts" was given for the current warp */
    uint32_t warp;
    uint64_t expected, done; /* instruction lines of the current warp */
    uint8_t *warp_seen;      /* n_warps */
    uint64_t n_uncounted;    /* lines beyond what "insts" gives */
};

/* ---- the words of a section ---- */

/* "word = " at p: the place of the value, or NULL. */
static const char *value_of(const char *p, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(p, word, n))
        return NULL;
    p = text_skip_blanks(p + n);
    return *p == '=' ? text_skip_blanks(p + 1) : NULL;
}

static strata_status end_of_value(struct text *t, const char *p, struct strata_error *err)
{
    p = text_skip_blanks(p);
    if (*p != '\n')
        return text_fail(t, p, err, "expected the end of the line.");
    text_end_line(t, p + 1);
    return STRATA_OK;
}

static strata_status warp_is_complete(struct accelsim_reader *a, const char *p,
                                      struct strata_error *err)
{
    if (a->has_count && a->done < a->expected)
        return text_fail(
            &a->text, p, err,
            "warp %u should have %llu instruction lines but has %llu; the trace is damaged.",
            a->warp, (unsigned long long)a->expected, (unsigned long long)a->done);
    if (a->has_warp && !a->has_count)
        return text_fail(&a->text, p, err, "warp %u has no \"insts = N\" line.", a->warp);
    return STRATA_OK;
}

/* "x,y,z" into the block's index; begins the block in the builder. */
static strata_status read_block_index(struct accelsim_reader *a, const char *p,
                                      struct strata_error *err)
{
    const uint32_t limit[3] = {a->header.grid.x, a->header.grid.y, a->header.grid.z};
    const char *start = p;
    uint64_t v[3];
    if (a->has_index)
        return text_fail(&a->text, p, err, "this thread block has a second index.");
    for (int i = 0; i < 3; i++) {
        const char *q = text_decimal(text_skip_blanks(p), &v[i]);
        q = q ? text_skip_blanks(q) : NULL;
        if (!q || (i < 2 && *q != ','))
            return text_fail(&a->text, p, err, "expected a block index like 3,0,0.");
        if (v[i] >= limit[i])
            return text_fail(&a->text, p, err,
                             "block index %llu lies outside the grid of (%u,%u,%u).",
                             (unsigned long long)v[i], limit[0], limit[1], limit[2]);
        p = q + (i < 2);
    }
    uint64_t index = v[0] + limit[0] * (v[1] + limit[1] * v[2]);
    bool again;
    if (!blockset_add(&a->seen, index, &again))
        return strata_no_memory(err, a->text.name, "to read blocks");
    if (again)
        return text_fail(
            &a->text, start, err, "thread block (%llu,%llu,%llu) appears a second time.",
            (unsigned long long)v[0], (unsigned long long)v[1], (unsigned long long)v[2]);
    a->has_index = true;
    a->index = (struct strata_dim3){(uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2]};
    for (int i = 0; i < 3; i++)
        a->lines.lead[i] = (uint32_t)v[i];
    strata_status st = strata_builder_begin_block(a->builder, index, a->n_warps, err);
    return st ? st : end_of_value(&a->text, p, err);
}

static strata_status read_warp(struct accelsim_reader *a, const char *p, struct strata_error *err)
{
    uint64_t w;
    strata_status st = warp_is_complete(a, p, err);
    if (st)
        return st;
    if (!a->has_index)
        return text_fail(&a->text, p, err, "a warp begins before \"thread block = x,y,z\".");
    const char *q = text_decimal(p, &w);
    if (!q)
        return text_fail(&a->text, p, err, "expected a warp number.");
    if (w >= a->n_warps)
        return text_fail(&a->text, p, err,
                         "warp %llu does not exist: a block of this launch has %u warps.",
                         (unsigned long long)w, a->n_warps);
    if (a->warp_seen[w])
        return text_fail(&a->text, p, err, "warp %llu appears a second time in its block.",
                         (unsigned long long)w);
    a->warp_seen[w] = 1;
    a->warp = a->lines.lead[3] = (uint32_t)w;
    a->has_warp = true;
    a->has_count = false;
    a->expected = a->done = 0;
    st = strata_builder_begin_warp(a->builder, a->warp, err);
    return st ? st : end_of_value(&a->text, q, err);
}

static strata_status read_count(struct accelsim_reader *a, const char *p, struct strata_error *err)
{
    const char *q = text_decimal(p, &a->expected);
    if (!q)
        return text_fail(&a->text, p, err, "expected a number of instructions.");
    if (!a->has_warp || a->has_count)
        return text_fail(&a->text, p, err, "\"insts\" must follow a \"warp\" line.");
    a->has_count = true;
    a->done = 0;
    return end_of_value(&a->text, q, err);
}

/* ---- a file that stops within a block ---- */

static strata_status cut_short(struct strata_reader *r, struct strata_error *err)
{
    struct accelsim_reader *a = r->impl;
    a->cut = true;
    if (!a->lenient)
        return strata_fail(err, STRATA_EFORMAT, a->text.name,
                           a->text.line < UINT32_MAX ? (uint32_t)a->text.line : 0, 0,
                           "the file ends within a thread block; the trace was cut short.");
    if (!a->has_warp)
        return STRATA_END; /* nothing of this block is there */
    reader_warn(
        r,
        "the file ends within thread block (%u,%u,%u), after %llu of %llu instructions of warp "
        "%u; the rest of the block is missing.",
        a->index.x, a->index.y, a->index.z, (unsigned long long)a->done,
        (unsigned long long)a->expected, a->warp);
    return STRATA_OK;
}

/* ---- sections ---- */

/* The instruction lines of the current warp, up to the first line that is something else. */
static strata_status read_instructions(struct accelsim_reader *a, struct strata_error *err)
{
    struct text *t = &a->text;
    while (a->done < a->expected) {
        const char *p;
        strata_status st = text_begin_line(t, &p, err);
        if (st)
            return st;
        if (*p == '\n') {
            text_end_line(t, p + 1);
            continue;
        }
        /* A last line without newline may have lost digits, too. */
        if (text_hex_digit[(unsigned char)*p] < 0 || (t->newline_added && text_in_cut_line(t))) {
            text_unread_line(t);
            return STRATA_OK;
        }
        st = accelsim_parse_line(&a->lines, p, err);
        if (st)
            return st;
        a->done++;
    }
    return STRATA_OK;
}

static strata_status unexpected_line(struct accelsim_reader *a, const char *p,
                                     struct strata_error *err)
{
    if (text_hex_digit[(unsigned char)*p] < 0)
        return text_fail(
            &a->text, p, err,
            "expected \"thread block\", \"warp\", \"insts\", an instruction or #END_TB.");
    return text_fail(&a->text, p, err,
                     "an instruction stands before \"warp = N\" and \"insts = N\".");
}

/* One line between #BEGIN_TB and #END_TB that is not an instruction of a warp. *over: #END_TB. */
static strata_status read_section_line(struct accelsim_reader *a, const char *line, bool *over,
                                       struct strata_error *err)
{
    const char *p = text_skip_blanks(line), *value;
    if (*p == '\n') {
        text_end_line(&a->text, p + 1);
        return STRATA_OK;
    }
    if ((value = value_of(p, "insts"))) {
        strata_status st = read_count(a, value, err);
        return st ? st : read_instructions(a, err);
    }
    if ((value = value_of(p, "warp")))
        return read_warp(a, value, err);
    if ((value = value_of(p, "thread block")))
        return read_block_index(a, value, err);
    if (!strncmp(p, "#END_TB", 7)) {
        strata_status st = warp_is_complete(a, p, err);
        if (!st && !a->has_index)
            st =
                text_fail(&a->text, p, err, "a thread block has no \"thread block = x,y,z\" line.");
        *over = true;
        text_skip_line(&a->text);
        return st;
    }
    /* An instruction line with blanks in front, or one more than "insts" gives: tracers that are
     * interrupted between writing the number and the lines leave such files, and the lines are
     * whole. */
    if (a->has_count && text_hex_digit[(unsigned char)*p] >= 0) {
        strata_status st = accelsim_parse_line(&a->lines, p, err);
        a->n_uncounted += !st && a->done >= a->expected;
        a->done += !st;
        return st ? st : read_instructions(a, err);
    }
    return unexpected_line(a, p, err);
}

static strata_status read_block(struct strata_reader *r, struct strata_error *err)
{
    struct accelsim_reader *a = r->impl;
    a->has_index = a->has_warp = a->has_count = false;
    a->expected = a->done = 0;
    memset(a->warp_seen, 0, a->n_warps);
    for (bool over = false; !over;) {
        const char *p;
        strata_status st = text_begin_line(&a->text, &p, err);
        if (st == STRATA_END)
            return cut_short(r, err);
        bool cut = !st && text_in_cut_line(&a->text) && strncmp(text_skip_blanks(p), "#END_TB", 7);
        if (cut)
            return cut_short(r, err);
        if (!st)
            st = read_section_line(a, p, &over, err);
        if (st == STRATA_END)
            return cut_short(r, err);
        if (st)
            return st;
    }
    return STRATA_OK;
}

/* Skips to behind the next #BEGIN_TB. */
static strata_status find_block(struct accelsim_reader *a, struct strata_error *err)
{
    const char *p;
    strata_status st;
    while (!(st = text_begin_line(&a->text, &p, err))) {
        p = text_skip_blanks(p);
        if (!strncmp(p, "#BEGIN_TB", 9)) {
            text_skip_line(&a->text);
            return STRATA_OK;
        }
        if (*p != '\n' && *p != '#')
            return text_fail(
                &a->text, p, err,
                "expected #BEGIN_TB; a raw .trace file has to be grouped by thread block "
                "(Accel-Sim's post-traces-processing) before it can be read.");
        if (!strncmp(p, "#END_TB", 7))
            return text_fail(&a->text, p, err, "a thread block ends that never began.");
        text_skip_line(&a->text);
    }
    return st;
}

/* ---- warnings ---- */

static void warn_of_header(struct strata_reader *r)
{
    const struct accelsim_reader *a = r->impl;
    const struct accelsim_header *h = &a->header;
    if (!h->has_registers)
        reader_warn(r, "the header has no \"-nregs\" line; %u registers a thread are assumed.",
                    r->launch.registers_per_thread);
    if (!h->has_shared)
        reader_warn(r, "the header has no \"-shmem\" line; 0 bytes of shared memory are assumed.");
    if (!accelsim_known_sm(h->sm_version))
        reader_warn(r, "binary version %u is unknown; opcodes are read as those of known GPUs.",
                    h->sm_version);
}

static void warn_of_opcodes(struct strata_reader *r, const struct line_parser *lp)
{
    char names[UNKNOWN_OPCODES_NAMED * 40] = "";
    size_t n = 0;
    for (int i = 0; i < UNKNOWN_OPCODES_NAMED && lp->unknown[i][0]; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", lp->unknown[i]);
    reader_warn(
        r,
        "unknown opcodes (%s%s) count as integer arithmetic, or as memory operations where they "
        "have addresses (warp instructions: %llu).",
        names, lp->unknown[UNKNOWN_OPCODES_NAMED - 1][0] ? ", ..." : "",
        (unsigned long long)lp->n_unknown_opcodes);
}

static void warn_of_lines(struct strata_reader *r)
{
    const struct accelsim_reader *a = r->impl;
    const struct line_parser *lp = &a->lines;
    if (a->n_uncounted)
        reader_warn(r,
                    "warps have more instruction lines than their \"insts\" gives; all are taken "
                    "(lines too many: %llu).",
                    (unsigned long long)a->n_uncounted);
    if (lp->n_unknown_opcodes)
        warn_of_opcodes(r, lp);
    if (lp->n_missing_addresses)
        reader_warn(r,
                    "loads and stores with width 0 have no addresses and make no access (warp "
                    "instructions: %llu).",
                    (unsigned long long)lp->n_missing_addresses);
    if (lp->n_wrong_lead)
        reader_warn(r,
                    "leading columns that name another block or warp than their section are "
                    "ignored (columns: %llu).",
                    (unsigned long long)lp->n_wrong_lead);
    if (lp->n_gaps)
        reader_warn(r, "base and stride are given for lanes with gaps: %s (lines: %llu).",
                    lp->compat ? "lanes behind the first gap get address 0, as in Accel-Sim"
                               : "every lane gets its distance from the first times the stride",
                    (unsigned long long)lp->n_gaps);
    if (lp->n_zero_modes)
        reader_warn(r, "addresses of an unknown mode are 0, as in Accel-Sim (lines: %llu).",
                    (unsigned long long)lp->n_zero_modes);
}

static strata_status finish(struct strata_reader *r, struct strata_error *err)
{
    struct accelsim_reader *a = r->impl;
    uint64_t blocks = (uint64_t)a->header.grid.x * a->header.grid.y * a->header.grid.z;
    a->over = true;
    if (!a->n_blocks)
        return strata_fail(err, STRATA_EFORMAT, a->text.name, 0, 0,
                           "the file has a header but no thread block; the trace was cut short.");
    if (a->n_blocks < blocks)
        reader_warn(r, "the trace has %llu of the grid's %llu thread blocks.",
                    (unsigned long long)a->n_blocks, (unsigned long long)blocks);
    warn_of_lines(r);
    return STRATA_END;
}

/* ---- the reader ---- */

static strata_status prepare(struct strata_reader *r, struct strata_error *err)
{
    struct accelsim_reader *a = r->impl;
    strata_status st = accelsim_read_header(&a->text, &a->header, err);
    if (!st)
        st = strata_builder_create(r->code, &a->builder, err);
    if (st)
        return st;
    a->n_warps =
        (a->header.block.x * a->header.block.y * a->header.block.z + STRATA_WARP_SIZE - 1) /
        STRATA_WARP_SIZE;
    a->lenient = r->trace->options.lenient;
    a->warp_seen = calloc(a->n_warps, 1);
    a->lines = (struct line_parser){
        .text = &a->text,
        .code = r->code,
        .builder = a->builder,
        .memo = calloc(MEMO_FIRST, sizeof *a->lines.memo),
        .n_memo = MEMO_FIRST,
        .shared_base = a->header.shared_base,
        .local_base = a->header.local_base,
        .n_lead_columns = a->header.tracer_version < 3 ? 4 : 0,
        .lineinfo = a->header.lineinfo,
        .compat = r->trace->options.accelsim_compat,
    };
    if (!a->warp_seen || !a->lines.memo)
        return strata_no_memory(err, a->text.name, "to open the trace");
    warn_of_header(r);
    return STRATA_OK;
}

strata_status accelsim_reader_open(struct strata_reader *r, const char *path,
                                   struct strata_error *err)
{
    struct stream_source *in;
    struct accelsim_reader *a = calloc(1, sizeof *a);
    if (!a)
        return strata_no_memory(err, path, "to open the trace");
    r->impl = a;
    strata_status st = stream_source_open(path, &in, err);
    if (!st)
        st = text_init(&a->text, in, err);
    return st ? st : prepare(r, err);
}

strata_status accelsim_reader_next(struct strata_reader *r, struct strata_block **out,
                                   struct strata_error *err)
{
    struct accelsim_reader *a = r->impl;
    *out = NULL;
    if (a->over)
        return STRATA_END;
    strata_status st = a->cut ? STRATA_END : find_block(a, err);
    if (!st)
        st = read_block(r, err);
    if (st == STRATA_END)
        return finish(r, err);
    if (st) {
        a->over = true;
        return st;
    }
    a->n_blocks++;
    return strata_builder_end_block(a->builder, out, err);
}

void accelsim_reader_close(struct strata_reader *r)
{
    struct accelsim_reader *a = r->impl;
    if (!a)
        return;
    text_release(&a->text);
    accelsim_header_release(&a->header);
    strata_builder_destroy(a->builder);
    blockset_release(&a->seen);
    free(a->lines.memo);
    free(a->warp_seen);
    free(a);
    r->impl = NULL;
}
