/* accelsim_write.c - writes a trace as an Accel-Sim folder: kernelslist.g and one text file a
 * launch.
 *
 * Lines are those of the tracer: version 3, or 4 where source lines are known,
 * or 5 where immediates are. Address modes follow the tracer's rule. Records of
 * other origins than SASS get a SASS opcode that means the same, so that the
 * files serve as input of programs that know nothing else. */
#include "trace/accelsim.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bits.h"

enum {
    WRITE_BUFFER = 64 * 1024,
    LINE_ROOM = 4096, /* more than any line takes: 1 KiB of static text, 32 numbers of 21 bytes */
    STATIC_ROOM = 1024,
};

/* The constant text of an instruction: " 1 R4 LDG.E 1 R2 ". */
struct static_text {
    uint16_t length;
    char *text;
};

struct accelsim_writer {
    struct stream_sink *list, *kernel;
    char **name; /* of the kernel files so far */
    size_t n_name, cap_name;
    uint64_t finished_bytes;  /* of closed files */
    struct static_text *text; /* by instruction index, of the current launch */
    size_t n_text, cap_text;
    struct strata_cursor cursor;
    bool lineinfo, has_imm, header_written;
    bool made_folder;
    size_t n; /* bytes in `buffer` */
    char buffer[WRITE_BUFFER];
};

static strata_status no_memory(const struct strata_writer *w, struct strata_error *err)
{
    return strata_no_memory(err, w->path, "to write the trace");
}

/* ---- output ---- */

static strata_status flush(struct accelsim_writer *a, struct strata_error *err)
{
    size_t n = a->n;
    a->n = 0;
    return stream_sink_write(a->kernel, a->buffer, n, err);
}

static inline strata_status make_room(struct accelsim_writer *a, struct strata_error *err)
{
    return a->n > WRITE_BUFFER - LINE_ROOM ? flush(a, err) : STRATA_OK;
}

/* A file of the folder being written. */
static strata_status open_sink(const struct strata_writer *w, const char *file,
                               struct stream_sink **out, struct strata_error *err)
{
    char *path = NULL, *name = NULL;
    int n = (int)strlen(w->path);
    while (n > 1 && w->path[n - 1] == '/')
        n--;
    if (asprintf(&path, "%s/%s", w->temporary, file) < 0)
        path = NULL;
    if (asprintf(&name, "%.*s/%s", n, w->path, file) < 0)
        name = NULL;
    strata_status st = path && name ? stream_sink_open(path, name, stream_kind_of_name(file),
                                                       w->options.compression_level, out, err)
                                    : no_memory(w, err);
    free(path);
    free(name);
    return st;
}

/* Short formatted text, below LINE_ROOM after make_room. */
static void put(struct accelsim_writer *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void put(struct accelsim_writer *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(a->buffer + a->n, WRITE_BUFFER - a->n, format, args);
    va_end(args);
    if (n > 0)
        a->n += (size_t)n < WRITE_BUFFER - a->n ? (size_t)n : WRITE_BUFFER - a->n - 1;
}

static char *put_hex(char *p, uint64_t v, unsigned at_least)
{
    unsigned digits = (log2_floor(v) + 4) / 4;
    for (digits = digits < at_least ? at_least : digits; digits--;)
        *p++ = "0123456789abcdef"[v >> digits * 4 & 15];
    return p;
}

static char *put_decimal(char *p, int64_t value)
{
    char digit[20];
    unsigned n = 0;
    uint64_t v = value < 0 ? -(uint64_t)value : (uint64_t)value;
    if (value < 0)
        *p++ = '-';
    do
        digit[n++] = (char)('0' + v % 10);
    while (v /= 10);
    while (n)
        *p++ = digit[--n];
    return p;
}

/* ---- static text ---- */

/* Upstream takes one destination and four sources; SASS traces keep theirs as they came. */
static unsigned registers_written(const struct strata_writer *w, unsigned n, unsigned most)
{
    return w->launch.isa == STRATA_ISA_SASS || n < most ? n : most;
}

static char *put_registers(char *p, const uint16_t *reg, unsigned n)
{
    p = put_decimal(p, n);
    for (unsigned i = 0; i < n; i++) {
        *p++ = ' ';
        *p++ = 'R';
        p = put_decimal(p, reg[i]);
    }
    *p++ = ' ';
    return p;
}

static bool make_static_text(struct strata_writer *w, uint32_t index)
{
    struct accelsim_writer *a = w->impl;
    const struct strata_inst *inst = strata_code_get(w->code, index);
    char line[STATIC_ROOM], opcode[256], *p = line;
    accelsim_opcode_text(inst, w->launch.isa, opcode, sizeof opcode);
    *p++ = ' ';
    p = put_registers(p, inst->reg, registers_written(w, inst->n_dst, 1));
    size_t n = strlen(opcode);
    memcpy(p, opcode, n);
    p += n;
    *p++ = ' ';
    p = put_registers(p, inst->reg + inst->n_dst, registers_written(w, inst->n_src, 4));
    n = (size_t)(p - line);
    char *copy = malloc(n);
    if (!copy)
        return false;
    memcpy(copy, line, n);
    a->text[index] = (struct static_text){(uint16_t)n, copy};
    return true;
}

/* Texts of the instructions that the code table has got since the last block. */
static strata_status extend_texts(struct strata_writer *w, struct strata_error *err)
{
    struct accelsim_writer *a = w->impl;
    uint32_t n = strata_code_count(w->code);
    if (n > a->n_text && !ARRAY_RESERVE(a->text, a->n_text, a->cap_text, n - a->n_text))
        return no_memory(w, err);
    while (a->n_text < n) {
        if (!make_static_text(w, (uint32_t)a->n_text))
            return no_memory(w, err);
        a->n_text++;
    }
    return STRATA_OK;
}

static void drop_texts(struct accelsim_writer *a)
{
    for (size_t i = 0; i < a->n_text; i++)
        free(a->text[i].text);
    a->n_text = 0;
}

/* ---- instruction lines ---- */

static bool one_run(uint32_t mask)
{
    uint32_t run = mask >> lowest_bit32(mask);
    return run & (run + 1) ? false : run > 1;
}

static char *put_address_list(char *p, uint32_t mask, const uint64_t *addr)
{
    *p++ = '0';
    for (uint32_t m = mask; m; m &= m - 1) {
        memcpy(p, " 0x", 3);
        p = put_hex(p + 3, addr[lowest_bit32(m)], 1);
    }
    return p;
}

static char *put_address_deltas(char *p, uint32_t mask, const uint64_t *addr)
{
    uint64_t before = addr[lowest_bit32(mask)];
    memcpy(p, "2 0x", 4);
    p = put_hex(p + 4, before, 1);
    for (uint32_t m = mask & (mask - 1); m; m &= m - 1) {
        uint64_t now = addr[lowest_bit32(m)];
        *p++ = ' ';
        p = put_decimal(p, (int64_t)(now - before));
        before = now;
    }
    return p;
}

/* Mode 1 for one run of lanes with a stride, else mode 2 or, where it is shorter, mode 0. */
static char *put_addresses(char *p, const struct strata_winst *record)
{
    uint64_t addr[STRATA_WARP_SIZE];
    if (!record->mask) {
        *p++ = '0';
        return p;
    }
    if (record->addr_kind == STRATA_ADDR_STRIDE && one_run(record->mask)) {
        memcpy(p, "1 0x", 4);
        p = put_hex(p + 4, record->base, 1);
        *p++ = ' ';
        return put_decimal(p, record->stride);
    }
    strata_winst_addresses(record, addr);
    char *deltas_end = put_address_deltas(p, record->mask, addr);
    /* A list takes at least 4 bytes a lane. */
    if (deltas_end - p <= 4 * popcount32(record->mask))
        return deltas_end;
    char list[LINE_ROOM / 2];
    size_t n = (size_t)(put_address_list(list, record->mask, addr) - list);
    if ((size_t)(deltas_end - p) <= n)
        return deltas_end;
    memcpy(p, list, n);
    return p + n;
}

/* What a special read is of has no column. */
static int32_t immediate_of(const struct strata_inst *inst)
{
    return inst->opclass == STRATA_OP_SREG ? 0 : inst->imm;
}

static void put_record(struct accelsim_writer *a, const struct strata_winst *record)
{
    const struct strata_inst *inst = record->inst;
    const struct static_text *text = &a->text[record->inst_index];
    bool has_addresses = record->addr_kind != STRATA_ADDR_NONE;
    char *p = a->buffer + a->n;
    if (a->lineinfo) {
        p = put_decimal(p, inst->source_line);
        *p++ = ' ';
    }
    p = put_hex(p, inst->pc, 4);
    *p++ = ' ';
    p = put_hex(p, record->mask, 8);
    memcpy(p, text->text, text->length);
    p += text->length;
    unsigned width = inst->trace_width;
    if (has_addresses && !width)
        width = inst->width_bytes ? inst->width_bytes : 4;
    if (!has_addresses && record->mask)
        width = 0;
    p = put_decimal(p, width);
    *p++ = ' ';
    if (width) {
        p = put_addresses(p, record);
        *p++ = ' ';
    }
    if (a->has_imm || immediate_of(inst)) {
        p = put_decimal(p, immediate_of(inst));
        *p++ = ' ';
    }
    *p++ = '\n';
    a->n = (size_t)(p - a->buffer);
}

/* ---- launches ---- */

static void find_columns(struct strata_writer *w)
{
    struct accelsim_writer *a = w->impl;
    for (uint32_t i = 0; i < strata_code_count(w->code); i++) {
        const struct strata_inst *inst = strata_code_get(w->code, i);
        a->lineinfo |= inst->source_line != 0;
        a->has_imm |= immediate_of(inst) != 0;
    }
}

static strata_status write_header(struct strata_writer *w, struct strata_error *err)
{
    struct accelsim_writer *a = w->impl;
    const struct strata_launch *l = &w->launch;
    const char *kernel = l->kernel ? l->kernel : "";
    strata_status st = stream_sink_write(a->kernel, "-kernel name = ", 15, err);
    if (!st)
        st = stream_sink_write(a->kernel, kernel, strcspn(kernel, "\n"), err);
    put(a, "\n-kernel id = %llu\n", (unsigned long long)l->id);
    put(a, "-grid dim = (%u,%u,%u)\n", l->grid.x, l->grid.y, l->grid.z);
    put(a, "-block dim = (%u,%u,%u)\n", l->block.x, l->block.y, l->block.z);
    put(a, "-shmem = %llu\n",
        (unsigned long long)l->shared_static_bytes + (unsigned long long)l->shared_dynamic_bytes);
    put(a, "-nregs = %u\n", l->registers_per_thread);
    put(a, "-binary version = %u\n", l->sm_version);
    put(a, "-cuda stream id = %llu\n", (unsigned long long)l->stream);
    put(a, "-shmem base_addr = 0x%016llx\n", (unsigned long long)l->shared_base);
    put(a, "-local mem base_addr = 0x%016llx\n", (unsigned long long)l->local_base);
    put(a, "-accelsim tracer version = %d\n", a->has_imm ? 5 : a->lineinfo ? 4 : 3);
    if (a->has_imm || a->lineinfo)
        put(a, "-enable lineinfo = %d\n", a->lineinfo);
    put(a,
        "\n#traces format = %sPC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
        "[adrrescompress?] [mem_addresses]%s\n\n",
        a->lineinfo ? "[line_num] " : "", a->has_imm ? " immediate" : "");
    a->header_written = true;
    return st;
}

static bool name_taken(const struct accelsim_writer *a, const char *name)
{
    for (size_t i = 0; i < a->n_name; i++)
        if (!strcmp(a->name[i], name))
            return true;
    return false;
}

/* "kernel-3.traceg.xz": the launch's own file name where it has such a one, else by its number. */
static char *choose_name(const struct strata_writer *w)
{
    const struct accelsim_writer *a = w->impl;
    const char *ending = stream_suffix(w->options.compression_level < 0 ? STREAM_PLAIN : STREAM_XZ);
    const char *was = w->launch.trace ? w->launch.trace : "";
    size_t stem = strcspn(was, ".");
    char *name = NULL;
    if (!strncmp(was, "kernel", 6) && !strncmp(was + stem, ".traceg", 7) &&
        !memchr(was, '/', stem) && asprintf(&name, "%.*s.traceg%s", (int)stem, was, ending) < 0)
        return NULL;
    for (uint64_t n = a->n_name + 1; !name || name_taken(a, name); n++) {
        free(name);
        name = NULL;
        if (asprintf(&name, "kernel-%llu.traceg%s", (unsigned long long)n, ending) < 0)
            return NULL;
    }
    return name;
}

strata_status accelsim_write_begin_launch(struct strata_writer *w, struct strata_error *err)
{
    struct accelsim_writer *a = w->impl;
    char line[512];
    const struct strata_dim3 *grid = &w->launch.grid;
    if (!grid->x || !grid->y || !grid->z)
        return strata_fail(err, STRATA_EUSAGE, w->path, 0, 0, "a launch has a grid of no blocks.");
    char *name = choose_name(w);
    if (!name || !ARRAY_RESERVE(a->name, a->n_name, a->cap_name, 1)) {
        free(name);
        return no_memory(w, err);
    }
    a->name[a->n_name++] = name;
    a->lineinfo = a->has_imm = a->header_written = false;
    a->n = 0;
    strata_status st = open_sink(w, name, &a->kernel, err);
    int n = snprintf(line, sizeof line, "%.500s\n", name);
    if (!st)
        st = stream_sink_write(a->list, line, (size_t)n, err);
    return st;
}

static strata_status write_warp(struct strata_writer *w, const struct strata_block *block,
                                uint32_t warp, struct strata_error *err)
{
    struct accelsim_writer *a = w->impl;
    struct strata_winst record;
    if (!block->warp_instructions[warp])
        return STRATA_OK; /* upstream refuses a warp with no instruction */
    strata_status st = strata_cursor_init(&a->cursor, block, warp, err);
    if (!st)
        st = make_room(a, err);
    if (st)
        return st;
    put(a, "\nwarp = %u\ninsts = %u\n", warp, block->warp_instructions[warp]);
    while (!st && strata_cursor_next(&a->cursor, &record)) {
        st = make_room(a, err);
        put_record(a, &record);
    }
    return st;
}

/* ---- source lines that turn up late ----
 *
 * Whether lines begin with a source line is said once, in the header. Where the first instruction
 * with a known source line comes after blocks without, those are copied with the column added. */

static strata_status copy_with_column(struct strata_writer *w, struct text *t,
                                      struct strata_error *err)
{
    struct accelsim_writer *a = w->impl;
    const char *p;
    strata_status st;
    bool in_header = true;
    while (!(st = text_begin_line(t, &p, err))) {
        const char *end = text_newline(t, p) + 1;
        if (!in_header && text_hex_digit[(unsigned char)*p] >= 0)
            st = stream_sink_write(a->kernel, "0 ", 2, err);
        if (!st && !in_header)
            st = stream_sink_write(a->kernel, p, (size_t)(end - p), err);
        if (st)
            return st;
        in_header = in_header && *p != '#';
        text_end_line(t, end);
    }
    return st == STRATA_END ? STRATA_OK : st;
}

static strata_status rewrite(struct strata_writer *w, const char *path, const char *old,
                             struct strata_error *err)
{
    struct accelsim_writer *a = w->impl;
    struct stream_sink *done = a->kernel;
    struct stream_source *in;
    struct text text;
    a->kernel = NULL;
    strata_status st = stream_sink_finish(done, err);
    if (!st && rename(path, old))
        st = strata_fail(err, STRATA_EIO, path, 0, 0, "cannot be renamed: %s.", strerror(errno));
    if (!st)
        st = stream_source_open(old, &in, err);
    if (!st)
        st = text_init(&text, in, err);
    if (st)
        return st;
    st = open_sink(w, a->name[a->n_name - 1], &a->kernel, err);
    if (!st)
        st = write_header(w, err);
    if (!st)
        st = flush(a, err);
    if (!st)
        st = copy_with_column(w, &text, err);
    text_release(&text);
    unlink(old);
    return st;
}

static strata_status add_line_column(struct strata_writer *w, struct strata_error *err)
{
    struct accelsim_writer *a = w->impl;
    char *path = NULL, *old = NULL;
    strata_status st = flush(a, err);
    if (st)
        return st;
    a->lineinfo = true;
    if (asprintf(&path, "%s/%s", w->temporary, a->name[a->n_name - 1]) < 0)
        path = NULL;
    if (asprintf(&old, "%s/rewritten", w->temporary) < 0)
        old = NULL;
    st = path && old ? rewrite(w, path, old, err) : no_memory(w, err);
    free(path);
    free(old);
    return st;
}

static strata_status prepare_block(struct strata_writer *w, struct strata_error *err)
{
    struct accelsim_writer *a = w->impl;
    size_t known = a->n_text;
    strata_status st = extend_texts(w, err);
    if (st)
        return st;
    if (!a->header_written) {
        find_columns(w);
        return write_header(w, err);
    }
    for (; known < a->n_text && !a->lineinfo; known++)
        if (strata_code_get(w->code, (uint32_t)known)->source_line)
            return add_line_column(w, err);
    return STRATA_OK;
}

strata_status accelsim_write_block(struct strata_writer *w, const struct strata_block *block,
                                   struct strata_error *err)
{
    struct accelsim_writer *a = w->impl;
    const struct strata_dim3 *grid = &w->launch.grid;
    strata_status st = prepare_block(w, err);
    if (!st)
        st = make_room(a, err);
    if (st)
        return st;
    put(a, "#BEGIN_TB\n\nthread block = %u,%u,%u\n", (uint32_t)(block->index % grid->x),
        (uint32_t)(block->index / grid->x % grid->y), (uint32_t)(block->index / grid->x / grid->y));
    for (uint32_t warp = 0; !st && warp < block->n_warps; warp++)
        st = write_warp(w, block, warp, err);
    if (!st)
        st = make_room(a, err);
    put(a, "\n#END_TB\n\n");
    return st;
}

strata_status accelsim_write_end_launch(struct strata_writer *w, struct strata_error *err)
{
    struct accelsim_writer *a = w->impl;
    strata_status st = a->header_written ? STRATA_OK : write_header(w, err);
    if (!st)
        st = flush(a, err);
    drop_texts(a);
    if (st)
        return st;
    a->finished_bytes += stream_sink_bytes(a->kernel);
    st = stream_sink_finish(a->kernel, err);
    a->kernel = NULL;
    return st;
}

/* ---- the folder ---- */

/* Calls `each` for every file of a folder until it is false; true if it never was. */
static bool for_each_file(const char *folder, bool (*each)(const char *folder, const char *name))
{
    DIR *d = opendir(folder);
    if (!d)
        return true;
    bool go_on = true;
    for (struct dirent *entry; go_on && (entry = readdir(d));)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            go_on = each(folder, entry->d_name);
    closedir(d);
    return go_on;
}

static bool stop_at_any(const char *folder, const char *name)
{
    (void)folder, (void)name;
    return false;
}

static bool remove_file(const char *folder, const char *name)
{
    char *path;
    if (asprintf(&path, "%s/%s", folder, name) >= 0) {
        unlink(path);
        free(path);
    }
    return true;
}

/* An empty folder may be replaced. */
static strata_status check_target(const struct strata_writer *w, struct strata_error *err)
{
    struct stat st;
    if (stat(w->path, &st))
        return STRATA_OK;
    if (!S_ISDIR(st.st_mode))
        return strata_fail(
            err, STRATA_EUSAGE, w->path, 0, 0,
            "an Accel-Sim trace is a folder, but a file of that name exists; choose another name.");
    if (!for_each_file(w->path, stop_at_any))
        return strata_fail(err, STRATA_EUSAGE, w->path, 0, 0,
                           "the folder exists already; remove it or choose another name.");
    return STRATA_OK;
}

strata_status accelsim_write_create(struct strata_writer *w, struct strata_error *err)
{
    w->impl = calloc(1, sizeof(struct accelsim_writer));
    if (!w->impl)
        return no_memory(w, err);
    struct accelsim_writer *a = w->impl;
    strata_status st = check_target(w, err);
    if (st)
        return st;
    if (mkdir(w->temporary, 0777))
        return strata_fail(err, STRATA_EIO, w->path, 0, 0, "the folder cannot be created: %s.",
                           strerror(errno));
    a->made_folder = true;
    return open_sink(w, "kernelslist.g", &a->list, err);
}

strata_status accelsim_write_memcpy(struct strata_writer *w, uint32_t event_kind, uint64_t address,
                                    uint64_t bytes, struct strata_error *err)
{
    struct accelsim_writer *a = w->impl;
    char line[128];
    const char *word = event_kind == STRATA_EVENT_MEMCPY_HTOD   ? "MemcpyHtoD"
                       : event_kind == STRATA_EVENT_MEMCPY_DTOH ? "MemcpyDtoH"
                                                                : "Memset";
    int n = snprintf(line, sizeof line, "%s,0x%016llx,%llu\n", word, (unsigned long long)address,
                     (unsigned long long)bytes);
    return stream_sink_write(a->list, line, (size_t)n, err);
}

uint64_t accelsim_write_bytes(const struct strata_writer *w)
{
    const struct accelsim_writer *a = w->impl;
    return a->finished_bytes + (a->kernel ? stream_sink_bytes(a->kernel) : 0) +
           (a->list ? stream_sink_bytes(a->list) : 0);
}

void accelsim_write_close(struct strata_writer *w)
{
    struct accelsim_writer *a = w->impl;
    for (size_t i = 0; i < a->n_name; i++)
        free(a->name[i]);
    free(a->name);
    drop_texts(a);
    free(a->text);
    strata_cursor_release(&a->cursor);
    stream_sink_abort(a->kernel);
    stream_sink_abort(a->list);
    free(a);
    w->impl = NULL;
}

strata_status accelsim_write_finish(struct strata_writer *w, struct strata_error *err)
{
    struct accelsim_writer *a = w->impl;
    struct stream_sink *list = a->list;
    a->list = NULL;
    return stream_sink_finish(list, err);
}

void accelsim_write_abort(struct strata_writer *w)
{
    struct accelsim_writer *a = w->impl;
    if (!a)
        return;
    if (a->made_folder) {
        for_each_file(w->temporary, remove_file);
        rmdir(w->temporary);
    }
    accelsim_write_close(w);
}
