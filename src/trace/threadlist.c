/* threadlist.c - the thread-list text of the GPU reuse-distance tracer.
 *
 * NAME_00.trc, NAME_01.trc, ... hold one launch each: a line "blocksize: X Y Z",
 * then "<flat thread id> <0 load|1 store> <byte address> <bytes>" for every
 * access, all decimal; flat thread id = block * threads per block + thread. Only
 * the order within one thread means something.
 *
 * There is no instruction address. The n-th accesses of a warp's threads are
 * taken as one warp instruction, split where loads and stores or widths differ.
 * Where threads of a warp diverged that joins accesses of different
 * instructions; the reader warns if it sees signs of it. There is no grid
 * either: the largest thread id gives the number of blocks, which is why
 * opening such a trace reads it once. */
#include "trace/trace_internal.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "trace/trace_text.h"

enum { MAX_BLOCK_THREADS = 65536 };
/* Few enough not to limit occupancy on any GPU: the format does not say, the model does not ask. */
#define ASSUMED_REGISTERS 16

struct access {
    uint64_t thread;
    uint64_t address;
    uint32_t kind; /* bytes * 2 + is_store */
};

struct threadlist_trace {
    char **path;
    size_t n_path, cap_path;
};

struct threadlist_reader {
    struct strata_builder *builder;
    struct access *access; /* by thread, in each thread's order */
    size_t n_access, cap_access, next;
    uint32_t block_threads;
    uint64_t n_blocks;
    uint64_t n_warps, n_odd_warps; /* with accesses; with signs of divergence */
    uint32_t index[512];           /* of the instruction for a kind + 1 */
    bool cut_line, over;
};

static strata_status no_memory(const char *path, struct strata_error *err)
{
    return strata_no_memory(err, path, "to read the trace");
}

/* ---- lines ---- */

/* "blocksize: X Y Z" */
static strata_status read_block_size(struct text *t, struct strata_dim3 *block,
                                     struct strata_error *err)
{
    const char *p = NULL;
    uint64_t v[3], threads = 1;
    strata_status st = text_begin_line(t, &p, err);
    if (st && st != STRATA_END)
        return st;
    if (st == STRATA_END || strncmp(p, "blocksize:", 10))
        return strata_fail(err, STRATA_EFORMAT, t->name, 1, 1,
                           "expected \"blocksize: X Y Z\" in the first line of a thread list.");
    p += 10;
    for (int i = 0; i < 3; i++) {
        const char *at = text_skip_blanks(p);
        p = text_decimal(at, &v[i]);
        if (!p || !text_is_end(*p) || !v[i] || v[i] > MAX_BLOCK_THREADS ||
            (threads *= v[i]) > MAX_BLOCK_THREADS)
            return text_fail(t, at, err,
                             "expected three block dimensions with at most %d threads in all.",
                             MAX_BLOCK_THREADS);
    }
    *block = (struct strata_dim3){(uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2]};
    p = text_skip_blanks(p);
    if (*p != '\n')
        return text_fail(t, p, err, "expected the end of the line after the block dimensions.");
    text_end_line(t, p + 1);
    return STRATA_OK;
}

static strata_status read_field(const struct text *t, const char **p, const char *what,
                                uint64_t least, uint64_t most, uint64_t *value,
                                struct strata_error *err)
{
    const char *at = text_skip_blanks(*p);
    const char *end = text_decimal(at, value);
    if (!end || !text_is_end(*end) || *value < least || *value > most)
        return text_fail(t, at, err, "expected %s: a decimal number of %llu to %llu.", what,
                         (unsigned long long)least, (unsigned long long)most);
    *p = end;
    return STRATA_OK;
}

/* The next access; STRATA_END behind the last. */
static strata_status read_access(struct text *t, struct access *a, struct strata_error *err)
{
    const char *p;
    uint64_t is_store = 0, bytes = 0;
    strata_status st;
    while (!(st = text_begin_line(t, &p, err))) {
        p = text_skip_blanks(p);
        if (*p != '\n')
            break;
        text_end_line(t, p + 1);
    }
    /* More threads than a grid of 2^31 - 1 blocks of one thread do not exist. */
    if (!st)
        st = read_field(t, &p, "a flat thread id", 0, INT32_MAX, &a->thread, err);
    if (!st)
        st = read_field(t, &p, "0 (load) or 1 (store)", 0, 1, &is_store, err);
    if (!st)
        st = read_field(t, &p, "a byte address", 0, INT64_MAX, &a->address, err);
    if (!st)
        st = read_field(t, &p, "a number of bytes", 1, 255, &bytes, err);
    if (st)
        return st;
    p = text_skip_blanks(p);
    if (*p != '\n')
        return text_fail(t, p, err, "expected the end of the line after the number of bytes.");
    a->kind = (uint32_t)(bytes * 2 + is_store);
    text_end_line(t, p + 1);
    return STRATA_OK;
}

/* Opens the file and reads its first line. */
static strata_status open_text(const char *path, struct text *t, struct strata_dim3 *block,
                               struct strata_error *err)
{
    struct stream_source *in;
    strata_status st = stream_source_open(path, &in, err);
    if (!st)
        st = text_init(t, in, err);
    if (st)
        return st;
    st = read_block_size(t, block, err);
    if (st)
        text_release(t);
    return st;
}

/* ---- opening ---- */

static strata_status scan(const struct strata_trace *t, const char *path,
                          struct strata_launch *launch, struct strata_error *err)
{
    struct text text;
    struct access a;
    uint64_t threads = 0;
    strata_status st = open_text(path, &text, &launch->block, err);
    if (st)
        return st;
    while (!(st = read_access(&text, &a, err)))
        if (a.thread >= threads)
            threads = a.thread + 1;
    if (st == STRATA_EFORMAT && text_in_cut_line(&text) && t->options.lenient)
        st = STRATA_END;
    text_release(&text);
    if (st != STRATA_END)
        return st;
    if (!threads)
        return strata_fail(err, STRATA_EFORMAT, path, 0, 0, "the thread list has no access.");
    uint32_t block_threads = strata_launch_threads_per_block(launch);
    launch->grid =
        (struct strata_dim3){(uint32_t)((threads + block_threads - 1) / block_threads), 1, 1};
    return STRATA_OK;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Adds the launch in the file `path`, which is taken over. */
static strata_status add_file(struct strata_trace *t, char *path, struct strata_error *err)
{
    struct threadlist_trace *tl = t->impl;
    struct strata_launch launch = {
        .id = t->n_launch,
        .registers_per_thread = ASSUMED_REGISTERS,
        .regs_source = STRATA_REGS_ESTIMATE,
        .isa = STRATA_ISA_THREADLIST,
    };
    struct strata_event event = {.kind = STRATA_EVENT_LAUNCH, .launch = (uint32_t)t->n_launch};
    if (!ARRAY_RESERVE(tl->path, tl->n_path, tl->cap_path, 1)) {
        free(path);
        return no_memory(t->path, err);
    }
    tl->path[tl->n_path++] = path;
    strata_status st = scan(t, path, &launch, err);
    if (st)
        return st;
    /* "stencil_03.trc" is launch 3 of "stencil". */
    const char *file = base_name(path);
    size_t stem = strcspn(file, ".");
    while (stem && file[stem - 1] >= '0' && file[stem - 1] <= '9')
        stem--;
    if (stem && file[stem - 1] == '_')
        stem--;
    char *name = strndup(file, stem ? stem : strlen(file));
    launch.program = launch.kernel = name;
    launch.trace = file;
    st = name ? trace_add_launch(t, &launch, err) : no_memory(path, err);
    free(name);
    return st ? st : trace_add_event(t, &event, err);
}

/* The first file of a folder's launches, "NAME_00.trc"; the smallest such name. NULL: none. */
static char *first_of_folder(const char *folder)
{
    DIR *d = opendir(folder);
    char *found = NULL;
    if (!d)
        return NULL;
    for (struct dirent *e; (e = readdir(d));) {
        size_t n = strlen(e->d_name);
        if (n < 7 || strcmp(e->d_name + n - 7, "_00.trc") ||
            (found && strcmp(e->d_name, found) >= 0))
            continue;
        free(found);
        found = strdup(e->d_name);
    }
    closedir(d);
    return found;
}

static strata_status open_folder(struct strata_trace *t, const char *first,
                                 struct strata_error *err)
{
    size_t stem = strlen(first) - 6;
    for (unsigned n = 0; n < 1000000; n++) {
        char *path;
        if (asprintf(&path, "%s/%.*s%02u.trc", t->path, (int)stem, first, n) < 0)
            return no_memory(t->path, err);
        FILE *exists = fopen(path, "r");
        if (!exists) {
            free(path);
            break;
        }
        fclose(exists);
        strata_status st = add_file(t, path, err);
        if (st)
            return st;
    }
    return STRATA_OK;
}

static strata_status threadlist_open(struct strata_trace *t, struct strata_error *err)
{
    t->impl = calloc(1, sizeof(struct threadlist_trace));
    char *first = first_of_folder(t->path);
    char *path = first ? NULL : strdup(t->path);
    strata_status st;
    if (!t->impl || (!first && !path)) {
        free(path);
        st = no_memory(t->path, err);
    } else {
        st = first ? open_folder(t, first, err) : add_file(t, path, err);
    }
    free(first);
    return st;
}

static void threadlist_close(struct strata_trace *t)
{
    struct threadlist_trace *tl = t->impl;
    if (!tl)
        return;
    for (size_t i = 0; i < tl->n_path; i++)
        free(tl->path[i]);
    free(tl->path);
    free(tl);
    t->impl = NULL;
}

static bool threadlist_probe(const char *path, bool is_folder, const uint8_t *head, size_t n_head)
{
    char text[10];
    size_t n = 0;
    struct stream_source *in;
    (void)head, (void)n_head;
    if (is_folder) {
        char *first = first_of_folder(path);
        free(first);
        return first != NULL;
    }
    if (stream_source_open(path, &in, NULL))
        return false;
    strata_status st = stream_source_read(in, text, sizeof text, &n, NULL);
    stream_source_close(in);
    return !st && n == sizeof text && !memcmp(text, "blocksize:", sizeof text);
}

/* ---- from lists of threads to warps ---- */

/* Stable, by thread: a pass for every 11 bits of the largest id. */
static bool sort_by_thread(struct access **access, size_t n, uint64_t largest)
{
    enum { BITS = 11, BUCKETS = 1 << BITS };
    size_t start[BUCKETS];
    struct access *other = malloc((n ? n : 1) * sizeof *other);
    if (!other)
        return false;
    for (unsigned shift = 0; largest >> shift; shift += BITS) {
        struct access *a = *access;
        memset(start, 0, sizeof start);
        for (size_t i = 0; i < n; i++)
            start[a[i].thread >> shift & (BUCKETS - 1)]++;
        size_t sum = 0;
        for (size_t b = 0; b < BUCKETS; b++) {
            size_t count = start[b];
            start[b] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++)
            other[start[a[i].thread >> shift & (BUCKETS - 1)]++] = a[i];
        *access = other;
        other = a;
    }
    free(other);
    return true;
}

/* The instruction that stands for all accesses of a kind. */
static strata_status instruction_for(struct strata_reader *r, uint32_t kind, uint32_t *index,
                                     struct strata_error *err)
{
    struct threadlist_reader *tr = r->impl;
    if (!tr->index[kind]) {
        bool store = kind & 1;
        uint32_t bytes = kind >> 1;
        const char *width = bytes == 1    ? ".U8"
                            : bytes == 2  ? ".U16"
                            : bytes == 8  ? ".64"
                            : bytes == 16 ? ".128"
                                          : "";
        char opcode[32];
        snprintf(opcode, sizeof opcode, "%s%s", store ? "STG.E" : "LDG.E", width);
        struct strata_inst inst = {
            .pc = 16ull * strata_code_count(r->code),
            .opcode = opcode,
            .opclass = STRATA_OP_MEM,
            .space = STRATA_SPACE_GLOBAL,
            .memop = store ? STRATA_MEM_STORE : STRATA_MEM_LOAD,
            .width_bytes = (uint8_t)bytes,
            .trace_width = (uint8_t)bytes,
        };
        strata_status st = strata_code_add(r->code, &inst, &tr->index[kind], err);
        if (st)
            return st;
        tr->index[kind]++;
    }
    *index = tr->index[kind] - 1;
    return STRATA_OK;
}

/* The accesses of a warp's lanes that are still to come. */
struct lanes {
    const struct access *at[STRATA_WARP_SIZE], *end[STRATA_WARP_SIZE];
};

/* One warp instruction of `kind` from all lanes of `*waiting` whose next access is of that kind. */
static strata_status add_kind(struct strata_reader *r, struct lanes *l, uint32_t *waiting,
                              uint32_t kind, struct strata_error *err)
{
    struct threadlist_reader *tr = r->impl;
    uint64_t addr[STRATA_WARP_SIZE];
    uint32_t mask = 0, index;
    for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++) {
        if (!(*waiting >> lane & 1) || l->at[lane]->kind != kind)
            continue;
        addr[lane] = l->at[lane]++->address;
        mask |= 1u << lane;
    }
    *waiting &= ~mask;
    strata_status st = instruction_for(r, kind, &index, err);
    return st ? st : strata_builder_add(tr->builder, index, mask, addr, err);
}

static strata_status add_warp(struct strata_reader *r, struct lanes *l, struct strata_error *err)
{
    struct threadlist_reader *tr = r->impl;
    uint32_t before = 0;
    bool odd = false;
    for (;;) {
        uint32_t waiting = 0;
        for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++)
            waiting |= (uint32_t)(l->at[lane] < l->end[lane]) << lane;
        if (!waiting)
            break;
        odd |= before && waiting != before;
        before = waiting;
        for (bool again = false; waiting; again = true) {
            odd |= again;
            unsigned lane = (unsigned)__builtin_ctz(waiting);
            strata_status st = add_kind(r, l, &waiting, l->at[lane]->kind, err);
            if (st)
                return st;
        }
    }
    tr->n_warps++;
    tr->n_odd_warps += odd;
    return STRATA_OK;
}

/* All accesses of the block that the next access belongs to. */
static strata_status add_block(struct strata_reader *r, uint64_t block, struct strata_error *err)
{
    struct threadlist_reader *tr = r->impl;
    uint64_t first_thread = block * tr->block_threads;
    const struct access *a = tr->access + tr->next, *end = tr->access + tr->n_access;
    while (a < end && a->thread < first_thread + tr->block_threads) {
        struct lanes l = {{NULL}, {NULL}};
        uint32_t warp = (uint32_t)((a->thread - first_thread) / STRATA_WARP_SIZE);
        uint64_t warp_thread = first_thread + (uint64_t)warp * STRATA_WARP_SIZE;
        uint64_t warp_end = warp_thread + STRATA_WARP_SIZE;
        if (warp_end > first_thread + tr->block_threads)
            warp_end = first_thread + tr->block_threads;
        while (a < end && a->thread < warp_end) {
            unsigned lane = (unsigned)(a->thread - warp_thread);
            l.at[lane] = a;
            while (a < end && a->thread == warp_thread + lane)
                a++;
            l.end[lane] = a;
        }
        strata_status st = strata_builder_begin_warp(tr->builder, warp, err);
        if (!st)
            st = add_warp(r, &l, err);
        if (st)
            return st;
    }
    tr->next = (size_t)(a - tr->access);
    return STRATA_OK;
}

/* ---- the reader ---- */

static strata_status read_all(struct strata_reader *r, const char *path, struct strata_error *err)
{
    struct threadlist_reader *tr = r->impl;
    struct strata_dim3 block;
    struct text text;
    struct access a;
    uint64_t largest = 0;
    strata_status st = open_text(path, &text, &block, err);
    if (st)
        return st;
    tr->block_threads = block.x * block.y * block.z;
    while (!(st = read_access(&text, &a, err))) {
        if (!ARRAY_RESERVE(tr->access, tr->n_access, tr->cap_access, 1)) {
            st = no_memory(path, err);
            break;
        }
        tr->access[tr->n_access++] = a;
        largest = a.thread > largest ? a.thread : largest;
    }
    tr->cut_line = st == STRATA_EFORMAT && text_in_cut_line(&text) && r->trace->options.lenient;
    text_release(&text);
    if (st != STRATA_END && !tr->cut_line)
        return st;
    return sort_by_thread(&tr->access, tr->n_access, largest) ? STRATA_OK : no_memory(path, err);
}

static strata_status threadlist_reader_open(struct strata_reader *r, struct strata_error *err)
{
    const struct threadlist_trace *tl = r->trace->impl;
    const char *path = tl->path[r->launch_index];
    struct threadlist_reader *tr = calloc(1, sizeof *tr);
    if (!tr)
        return no_memory(path, err);
    r->impl = tr;
    strata_status st = strata_builder_create(r->code, &tr->builder, err);
    if (!st)
        st = read_all(r, path, err);
    if (!st && tr->cut_line)
        reader_warn(r, "the last line is cut short and was left out.");
    return st;
}

static strata_status end_of_list(struct strata_reader *r)
{
    struct threadlist_reader *tr = r->impl;
    uint64_t blocks = strata_launch_blocks(&r->launch);
    if (tr->n_odd_warps && !tr->over)
        reader_warn(r,
                    "threads of a warp differ in the number or kind of their accesses (warps: %llu "
                    "of %llu); a "
                    "thread list has no instruction addresses, so accesses are matched by their "
                    "order, which "
                    "may join different instructions there.",
                    (unsigned long long)tr->n_odd_warps, (unsigned long long)tr->n_warps);
    if (tr->n_blocks < blocks && !tr->over)
        reader_warn(r, "thread blocks without an access are left out (blocks: %llu of %llu).",
                    (unsigned long long)(blocks - tr->n_blocks), (unsigned long long)blocks);
    tr->over = true;
    return STRATA_END;
}

static strata_status threadlist_reader_next(struct strata_reader *r, struct strata_block **out,
                                            struct strata_error *err)
{
    struct threadlist_reader *tr = r->impl;
    *out = NULL;
    if (tr->next == tr->n_access)
        return end_of_list(r);
    uint64_t block = tr->access[tr->next].thread / tr->block_threads;
    uint32_t n_warps = (tr->block_threads + STRATA_WARP_SIZE - 1) / STRATA_WARP_SIZE;
    strata_status st = strata_builder_begin_block(tr->builder, block, n_warps, err);
    if (!st)
        st = add_block(r, block, err);
    if (st)
        return st;
    tr->n_blocks++;
    return strata_builder_end_block(tr->builder, out, err);
}

static void threadlist_reader_close(struct strata_reader *r)
{
    struct threadlist_reader *tr = r->impl;
    if (!tr)
        return;
    strata_builder_destroy(tr->builder);
    free(tr->access);
    free(tr);
    r->impl = NULL;
}

const struct strata_trace_format strata_format_threadlist = {
    .name = "threadlist",
    .summary = "thread-list text: NAME_NN.trc files with one access a line",
    .probe = threadlist_probe,
    .open = threadlist_open,
    .close = threadlist_close,
    .reader_open = threadlist_reader_open,
    .reader_next = threadlist_reader_next,
    .reader_close = threadlist_reader_close,
};
