/* memtrace.c - the text that NVBit's mem_trace example prints.
 *
 *   MEMTRACE: CTX 0x.. - LAUNCH - Kernel pc 0x.. - Kernel name f(int) - grid launch id 0 -
 *       grid size 1,1,1 - block size 32,1,1 - nregs 8 - shmem 0 - cuda stream id 0      (one line)
 *   MEMTRACE: CTX 0x.. - grid_launch_id 0 - CTA 0,0,0 - warp 0 - LDG.E - <32 hexadecimal addresses>
 *
 * Other lines (the banner, the program's own output) are passed over. An
 * address of 0 is an inactive lane. Only memory instructions are there, without
 * instruction address and registers; records of all blocks are mixed. The warp
 * is a slot of the SM, not a number within the block: the slots that a block
 * used become its warps in rising order. Some versions count the launch before
 * they print its line, so that its id is one more than that of its records.
 *
 * A file may hold many launches; each reader goes through the whole file and
 * keeps the records of its launch in memory. */
#include "trace/trace_internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"
#include "trace/trace_text.h"

enum { MAX_BLOCK_THREADS = 65536, MAX_OPCODE_BYTES = 128, PROBE_BYTES = 16384 };

/* The launches of a file that have records. */
struct memtrace {
    uint64_t *id; /* that the records of each launch carry */
    size_t n_id, cap_id;
};

struct record {
    uint64_t block;
    uint32_t slot;
    uint32_t inst_index;
    uint32_t mask;
    int32_t stride;
    uint64_t base;
    size_t list; /* of addresses in `lists` + 1; 0: strided */
};

struct memtrace_reader {
    struct strata_builder *builder;
    struct record *record; /* by block and slot, in the order of the file within a warp */
    size_t n_record, cap_record, next;
    uint64_t *lists;
    size_t n_lists, cap_lists;
    uint64_t n_blocks;
    bool over, cut_line;
};

static strata_status no_memory(const char *path, struct strata_error *err)
{
    return strata_no_memory(err, path, "to read the trace");
}

/* ---- pieces of lines ---- */

/* A position in the current line and the first thing that went wrong there. */
struct scan {
    const struct text *text;
    const char *p;
    strata_status status;
    struct strata_error *err;
};

static void expect_word(struct scan *s, const char *word)
{
    size_t n = strlen(word);
    if (s->status)
        return;
    if (!strncmp(s->p, word, n))
        s->p += n;
    else
        s->status = text_fail(s->text, s->p, s->err, "expected \"%s\" here.", word);
}

static uint64_t expect_number(struct scan *s, bool hex, uint64_t least, uint64_t most)
{
    uint64_t v = 0;
    if (s->status)
        return 0;
    const char *end = hex ? text_hex(s->p, &v) : text_decimal(s->p, &v);
    if (!end || v < least || v > most) {
        s->status = text_fail(s->text, s->p, s->err, "expected a %s number of %llu to %llu here.",
                              hex ? "hexadecimal" : "decimal", (unsigned long long)least,
                              (unsigned long long)most);
        return 0;
    }
    s->p = end;
    return v;
}

static struct strata_dim3 expect_dim3(struct scan *s, uint64_t least)
{
    struct strata_dim3 d;
    d.x = (uint32_t)expect_number(s, false, least, INT32_MAX);
    expect_word(s, ",");
    d.y = (uint32_t)expect_number(s, false, least, INT32_MAX);
    expect_word(s, ",");
    d.z = (uint32_t)expect_number(s, false, least, INT32_MAX);
    return d;
}

static const char PREFIX[] = "MEMTRACE: CTX ";

enum line_kind { LINE_OTHER, LINE_LAUNCH, LINE_RECORD };

/* Behind the context: what the line is, and the place behind the words that say it. */
static enum line_kind kind_of_line(const char *p, const char **rest)
{
    static const char launch[] = " - LAUNCH - ", record[] = " - grid_launch_id ";
    if (strncmp(p, PREFIX, sizeof PREFIX - 1))
        return LINE_OTHER;
    for (p += sizeof PREFIX - 1; !text_is_end(*p); p++)
        ;
    bool is_launch = !strncmp(p, launch, sizeof launch - 1);
    bool is_record = !strncmp(p, record, sizeof record - 1);
    *rest = p + (is_launch ? sizeof launch : sizeof record) - 1;
    return is_launch ? LINE_LAUNCH : is_record ? LINE_RECORD : LINE_OTHER;
}

/* The last place of `word` in the line: a kernel's name may contain anything. */
static const char *find_last(const struct text *t, const char *p, const char *word)
{
    const char *found = NULL, *end = text_newline(t, p);
    size_t n = strlen(word);
    for (; p + n <= end; p++)
        if (!memcmp(p, word, n))
            found = p;
    return found;
}

/* ---- launches ---- */

/* `p` stands behind " - LAUNCH - ". The kernel's name is allocated. */
static strata_status read_launch_line(const struct text *t, const char *p,
                                      struct strata_launch *launch, char **name,
                                      struct strata_error *err)
{
    struct scan s = {t, p, STRATA_OK, err};
    expect_word(&s, "Kernel pc ");
    expect_number(&s, true, 0, UINT64_MAX);
    expect_word(&s, " - Kernel name ");
    const char *name_end = s.status ? NULL : find_last(t, s.p, " - grid launch id ");
    if (!s.status && !name_end)
        s.status =
            text_fail(t, s.p, err, "expected the kernel's name and \" - grid launch id \" here.");
    if (s.status)
        return s.status;
    *name = strndup(s.p, (size_t)(name_end - s.p));
    if (!*name)
        return no_memory(t->name, err);
    s.p = name_end + strlen(" - grid launch id ");
    launch->id = expect_number(&s, false, 0, INT64_MAX);
    expect_word(&s, " - grid size ");
    launch->grid = expect_dim3(&s, 1);
    expect_word(&s, " - block size ");
    const char *block_at = s.p;
    launch->block = expect_dim3(&s, 1);
    expect_word(&s, " - nregs ");
    launch->registers_per_thread = (uint32_t)expect_number(&s, false, 0, INT32_MAX);
    expect_word(&s, " - shmem ");
    launch->shared_static_bytes = (uint32_t)expect_number(&s, false, 0, INT32_MAX);
    expect_word(&s, " - cuda stream id ");
    launch->stream = expect_number(&s, false, 0, UINT64_MAX);
    uint64_t threads = (uint64_t)launch->block.x * launch->block.y;
    if (!s.status && (threads > MAX_BLOCK_THREADS || threads * launch->block.z > MAX_BLOCK_THREADS))
        s.status =
            text_fail(t, block_at, err, "a block has more than %d threads.", MAX_BLOCK_THREADS);
    if (!s.status && (uint64_t)launch->grid.x * launch->grid.y > INT64_MAX / launch->grid.z)
        s.status = text_fail(t, block_at, err, "the grid has more blocks than 63 bits count.");
    return s.status;
}

static strata_status add_launch(struct strata_trace *t, const struct text *text, const char *rest,
                                struct strata_error *err)
{
    struct strata_launch launch = {.regs_source = STRATA_REGS_TRACE, .isa = STRATA_ISA_SASS};
    struct strata_event event = {.kind = STRATA_EVENT_LAUNCH, .launch = (uint32_t)t->n_launch};
    char *name = NULL, trace[32];
    strata_status st = read_launch_line(text, rest, &launch, &name, err);
    if (!st) {
        snprintf(trace, sizeof trace, "launch-%llu", (unsigned long long)launch.id);
        launch.program = trace_keep_base_name(t, t->path);
        launch.trace = trace;
        launch.kernel = name;
        st = launch.program ? trace_add_launch(t, &launch, err) : no_memory(t->path, err);
    }
    free(name);
    return st ? st : trace_add_event(t, &event, err);
}

/* What the first pass learns of the records. */
struct found {
    uint64_t *id; /* that records carry, each once, in the order of the file */
    size_t n_id, cap_id;
    uint64_t first_line; /* of the first record */
};

static strata_status note_record(struct found *f, const struct text *t, const char *rest,
                                 struct strata_error *err)
{
    struct scan s = {t, rest, STRATA_OK, err};
    uint64_t id = expect_number(&s, false, 0, INT64_MAX);
    if (s.status)
        return s.status;
    for (size_t i = f->n_id; i--;)
        if (f->id[i] == id)
            return STRATA_OK;
    if (!ARRAY_RESERVE(f->id, f->n_id, f->cap_id, 1))
        return no_memory(t->name, err);
    if (!f->n_id)
        f->first_line = t->line;
    f->id[f->n_id++] = id;
    return STRATA_OK;
}

static bool has_id(const struct found *f, uint64_t id)
{
    for (size_t i = 0; i < f->n_id; i++)
        if (f->id[i] == id)
            return true;
    return false;
}

/* Keeps the launches that have records, and notes the id that these carry. */
static strata_status match(struct strata_trace *t, const struct found *f, struct strata_error *err)
{
    struct memtrace *m = t->impl;
    uint64_t smallest = UINT64_MAX, shift = 0;
    for (size_t i = 0; i < t->n_launch; i++)
        smallest = t->launch[i].id < smallest ? t->launch[i].id : smallest;
    if (smallest && smallest != UINT64_MAX && has_id(f, smallest - 1))
        shift = 1;
    size_t n = 0;
    for (size_t i = 0; i < t->n_launch; i++) {
        if (t->launch[i].id < shift || !has_id(f, t->launch[i].id - shift))
            continue;
        if (!ARRAY_RESERVE(m->id, m->n_id, m->cap_id, 1))
            return no_memory(t->path, err);
        m->id[m->n_id++] = t->launch[i].id - shift;
        t->launch[n] = t->launch[i];
        t->event[n] = (struct strata_event){.kind = STRATA_EVENT_LAUNCH, .launch = (uint32_t)n};
        n++;
    }
    t->n_launch = t->n_event = n;
    if (f->n_id && f->n_id == n)
        return STRATA_OK;
    if (!f->n_id)
        return strata_fail(err, STRATA_EFORMAT, t->path, 0, 0,
                           "the file has no record of a memory access.");
    return strata_fail(
        err, STRATA_EFORMAT, t->path, 0, 0,
        "the records are of %zu launches (the first in line %llu), but only %zu of them have a "
        "\"MEMTRACE: CTX ... - LAUNCH\" line, once each; record the trace from the program's "
        "start.",
        f->n_id, (unsigned long long)f->first_line, n);
}

static strata_status open_text(const char *path, struct text *t, struct strata_error *err)
{
    struct stream_source *in;
    strata_status st = stream_source_open(path, &in, err);
    return st ? st : text_init(t, in, err);
}

static strata_status first_pass(struct strata_trace *t, struct found *f, struct strata_error *err)
{
    struct text text;
    const char *p, *rest;
    strata_status st = open_text(t->path, &text, err);
    if (st)
        return st;
    while (!(st = text_begin_line(&text, &p, err))) {
        enum line_kind kind = kind_of_line(p, &rest);
        if (kind == LINE_LAUNCH)
            st = add_launch(t, &text, rest, err);
        else if (kind == LINE_RECORD)
            st = note_record(f, &text, rest, err);
        if (st)
            break;
        text_skip_line(&text);
    }
    bool cut = st == STRATA_EFORMAT && text_in_cut_line(&text) && t->options.lenient;
    text_release(&text);
    return st == STRATA_END || cut ? STRATA_OK : st;
}

static strata_status memtrace_open(struct strata_trace *t, struct strata_error *err)
{
    struct found found = {0};
    t->impl = calloc(1, sizeof(struct memtrace));
    strata_status st = t->impl ? first_pass(t, &found, err) : no_memory(t->path, err);
    if (!st)
        st = match(t, &found, err);
    free(found.id);
    return st;
}

static void memtrace_close(struct strata_trace *t)
{
    struct memtrace *m = t->impl;
    if (!m)
        return;
    free(m->id);
    free(m);
    t->impl = NULL;
}

static bool memtrace_probe(const char *path, bool is_folder, const uint8_t *head, size_t n_head)
{
    char text[PROBE_BYTES];
    size_t n = 0;
    struct stream_source *in;
    (void)head, (void)n_head;
    if (is_folder || stream_source_open(path, &in, NULL))
        return false;
    strata_status st = stream_source_read(in, text, sizeof text, &n, NULL);
    stream_source_close(in);
    return !st && memmem(text, n, PREFIX, sizeof PREFIX - 1);
}

/* ---- records ---- */

static strata_status add_instruction(struct strata_reader *r, struct scan *s, uint32_t *index)
{
    char opcode[MAX_OPCODE_BYTES];
    const char *end = s->p;
    while ((unsigned char)*end > ' ' && (unsigned char)*end < 0x7f)
        end++;
    size_t n = (size_t)(end - s->p);
    if (!n || n >= sizeof opcode || *end != ' ')
        return text_fail(s->text, s->p, s->err, "expected an opcode like LDG.E here.");
    memcpy(opcode, s->p, n);
    opcode[n] = 0;
    s->p = end;
    struct strata_inst inst = {.opcode = opcode};
    strata_inst_decode_sass(&inst, true, r->trace->options.accelsim_compat);
    inst.opclass = STRATA_OP_MEM;
    inst.trace_width = inst.width_bytes ? inst.width_bytes : 4;
    return strata_code_add(r->code, &inst, index, s->err);
}

/* 32 addresses: a stride where the lanes have one, else a list. */
static strata_status read_addresses(struct memtrace_reader *m, struct scan *s, struct record *rec)
{
    uint64_t addr[STRATA_WARP_SIZE];
    rec->mask = 0;
    for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++) {
        s->p = text_skip_blanks(s->p);
        addr[lane] = expect_number(s, true, 0, UINT64_MAX);
        rec->mask |= (uint32_t)(addr[lane] != 0) << lane;
    }
    if (!s->status && *text_skip_blanks(s->p) != '\n')
        s->status =
            text_fail(s->text, s->p, s->err, "expected the end of the line after 32 addresses.");
    if (s->status || !rec->mask)
        return s->status;
    unsigned first = lowest_bit32(rec->mask);
    rec->base = addr[first];
    rec->list = 0;
    uint32_t rest = rec->mask & (rec->mask - 1);
    int64_t stride = rest ? (int64_t)(addr[lowest_bit32(rest)] - rec->base) /
                                (int64_t)(lowest_bit32(rest) - first)
                          : 0;
    bool affine = stride >= INT32_MIN && stride <= INT32_MAX;
    for (; rest && affine; rest &= rest - 1)
        affine =
            addr[lowest_bit32(rest)] == rec->base + (lowest_bit32(rest) - first) * (uint64_t)stride;
    rec->stride = (int32_t)stride;
    if (affine)
        return STRATA_OK;
    if (!ARRAY_RESERVE(m->lists, m->n_lists, m->cap_lists, STRATA_WARP_SIZE))
        return no_memory(s->text->name, s->err);
    memcpy(m->lists + m->n_lists, addr, sizeof addr);
    rec->list = m->n_lists + 1;
    m->n_lists += STRATA_WARP_SIZE;
    return STRATA_OK;
}

/* `p` stands behind " - grid_launch_id ". *is_mine: it was a record of this launch. */
static strata_status read_record(struct strata_reader *r, const struct text *t, const char *p,
                                 struct record *rec, bool *is_mine, struct strata_error *err)
{
    const struct memtrace *trace = r->trace->impl;
    const struct strata_dim3 *grid = &r->launch.grid;
    struct scan s = {t, p, STRATA_OK, err};
    uint64_t id = expect_number(&s, false, 0, INT64_MAX);
    *is_mine = !s.status && id == trace->id[r->launch_index];
    if (!*is_mine)
        return s.status;
    expect_word(&s, " - CTA ");
    const char *cta_at = s.p;
    struct strata_dim3 cta = expect_dim3(&s, 0);
    if (!s.status && (cta.x >= grid->x || cta.y >= grid->y || cta.z >= grid->z))
        s.status =
            text_fail(t, cta_at, err, "block (%u,%u,%u) lies outside the grid of (%u,%u,%u).",
                      cta.x, cta.y, cta.z, grid->x, grid->y, grid->z);
    expect_word(&s, " - warp ");
    rec->slot = (uint32_t)expect_number(&s, false, 0, INT32_MAX);
    expect_word(&s, " - ");
    rec->block = cta.x + (uint64_t)grid->x * (cta.y + (uint64_t)grid->y * cta.z);
    if (!s.status)
        s.status = add_instruction(r, &s, &rec->inst_index);
    expect_word(&s, " - ");
    return s.status ? s.status : read_addresses(r->impl, &s, rec);
}

static strata_status read_all(struct strata_reader *r, struct strata_error *err)
{
    struct memtrace_reader *m = r->impl;
    struct text text;
    struct record rec;
    const char *p, *rest;
    strata_status st = open_text(r->trace->path, &text, err);
    if (st)
        return st;
    while (!(st = text_begin_line(&text, &p, err))) {
        bool is_mine = false;
        if (kind_of_line(p, &rest) == LINE_RECORD)
            st = read_record(r, &text, rest, &rec, &is_mine, err);
        if (!st && is_mine && !ARRAY_RESERVE(m->record, m->n_record, m->cap_record, 1))
            st = no_memory(r->trace->path, err);
        if (st)
            break;
        if (is_mine)
            m->record[m->n_record++] = rec;
        text_skip_line(&text);
    }
    m->cut_line = st == STRATA_EFORMAT && text_in_cut_line(&text) && r->trace->options.lenient;
    text_release(&text);
    return st == STRATA_END || m->cut_line ? STRATA_OK : st;
}

/* Merge sort, stable: by block and slot, the order of the file within. */
static bool comes_before(const struct record *a, const struct record *b)
{
    return a->block < b->block || (a->block == b->block && a->slot <= b->slot);
}

static bool sort_records(struct memtrace_reader *m)
{
    struct record *from = m->record, *to = malloc((m->n_record ? m->n_record : 1) * sizeof *to);
    size_t n = m->n_record;
    if (!to)
        return false;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t at = 0; at < n; at += 2 * width) {
            size_t i = at, i_end = at + width < n ? at + width : n;
            size_t j = i_end, j_end = at + 2 * width < n ? at + 2 * width : n;
            for (size_t k = at; k < j_end; k++)
                to[k] = j == j_end || (i < i_end && comes_before(&from[i], &from[j])) ? from[i++]
                                                                                      : from[j++];
        }
        struct record *swap = from;
        from = to;
        to = swap;
    }
    free(to);
    m->record = from;
    return true;
}

static strata_status memtrace_reader_open(struct strata_reader *r, struct strata_error *err)
{
    struct memtrace_reader *m = calloc(1, sizeof *m);
    if (!m)
        return no_memory(r->trace->path, err);
    r->impl = m;
    strata_status st = strata_builder_create(r->code, &m->builder, err);
    if (!st)
        st = read_all(r, err);
    if (!st && m->cut_line)
        reader_warn(r, "the last line is cut short and was left out.");
    if (!st && !sort_records(m))
        st = no_memory(r->trace->path, err);
    return st;
}

/* ---- blocks ---- */

static strata_status add_record(struct memtrace_reader *m, const struct record *rec,
                                struct strata_error *err)
{
    if (!rec->mask)
        return strata_builder_add(m->builder, rec->inst_index, 0, NULL, err);
    if (rec->list)
        return strata_builder_add(m->builder, rec->inst_index, rec->mask, m->lists + rec->list - 1,
                                  err);
    return strata_builder_add_strided(m->builder, rec->inst_index, rec->mask, rec->base,
                                      rec->stride, err);
}

static strata_status add_block(struct strata_reader *r, uint64_t block, uint32_t n_warps,
                               struct strata_error *err)
{
    struct memtrace_reader *m = r->impl;
    uint32_t warp = 0;
    strata_status st = STRATA_OK;
    while (!st && m->next < m->n_record && m->record[m->next].block == block) {
        uint32_t slot = m->record[m->next].slot;
        if (warp == n_warps)
            return strata_fail(err, STRATA_EFORMAT, r->trace->path, 0, 0,
                               "block %llu of launch %llu has records of more than its %u warps; "
                               "the trace is damaged.",
                               (unsigned long long)block, (unsigned long long)r->launch.id,
                               n_warps);
        st = strata_builder_begin_warp(m->builder, warp++, err);
        for (; !st && m->next < m->n_record && m->record[m->next].block == block &&
               m->record[m->next].slot == slot;
             m->next++)
            st = add_record(m, &m->record[m->next], err);
    }
    return st;
}

static strata_status memtrace_reader_next(struct strata_reader *r, struct strata_block **out,
                                          struct strata_error *err)
{
    struct memtrace_reader *m = r->impl;
    uint32_t n_warps = strata_launch_warps_per_block(&r->launch);
    *out = NULL;
    if (m->next == m->n_record) {
        uint64_t blocks = strata_launch_blocks(&r->launch);
        if (m->n_blocks < blocks && !m->over)
            reader_warn(r, "thread blocks without an access are left out (blocks: %llu of %llu).",
                        (unsigned long long)(blocks - m->n_blocks), (unsigned long long)blocks);
        m->over = true;
        return STRATA_END;
    }
    uint64_t block = m->record[m->next].block;
    strata_status st = strata_builder_begin_block(m->builder, block, n_warps, err);
    if (!st)
        st = add_block(r, block, n_warps, err);
    if (st)
        return st;
    m->n_blocks++;
    return strata_builder_end_block(m->builder, out, err);
}

static void memtrace_reader_close(struct strata_reader *r)
{
    struct memtrace_reader *m = r->impl;
    if (!m)
        return;
    strata_builder_destroy(m->builder);
    free(m->record);
    free(m->lists);
    free(m);
    r->impl = NULL;
}

const struct strata_trace_format strata_format_memtrace = {
    .name = "memtrace",
    .summary = "the text of NVBit's mem_trace: memory instructions only",
    .probe = memtrace_probe,
    .open = memtrace_open,
    .close = memtrace_close,
    .reader_open = memtrace_reader_open,
    .reader_next = memtrace_reader_next,
    .reader_close = memtrace_reader_close,
};
