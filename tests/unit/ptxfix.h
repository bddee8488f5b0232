/* ptxfix.h - fixtures for tests of the PTX emulator: modules from text, launches, value tables. */
#ifndef STRATA_TESTS_PTXFIX_H
#define STRATA_TESTS_PTXFIX_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <strata/ptx.h>
#include <strata/sass.h>

#define PTX_HEAD ".version 7.8\n.target sm_80\n.address_size 64\n"

static struct strata_arena *arena;

static inline int open_arena(void **state)
{
    (void)state;
    return strata_arena_create(1u << 28, &arena, NULL) != STRATA_OK;
}
static inline int close_arena(void **state)
{
    (void)state;
    strata_arena_destroy(arena);
    return 0;
}
/* Zeroed device memory; it goes with the arena. */
static inline void *device_memory(size_t bytes)
{
    void *p = strata_arena_allocate(arena, bytes, 256);
    assert_non_null(p);
    memset(p, 0, bytes);
    return p;
}

/* Machine code of tests/data/sass. */
static inline struct strata_module *load_machine_code(const char *name)
{
    static char bytes[1 << 16];
    char path[600];
    const char *root = getenv("STRATA_SOURCE");
    snprintf(path, sizeof path, "%s/tests/data/sass/%s", root ? root : ".", name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t length = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    struct strata_device_memory memory = strata_arena_memory(arena);
    struct strata_module *m = NULL;
    assert_int_equal(strata_sass_module_create(bytes, length, path, &memory, &m, NULL), STRATA_OK);
    return m;
}

static inline struct strata_module *load_text(const char *text)
{
    struct strata_device_memory memory = strata_arena_memory(arena);
    struct strata_ptx_source source = {text, strlen(text), "test.ptx"};
    struct strata_module *m = NULL;
    struct strata_error err;
    char message[1300];
    if (strata_ptx_module_create(&source, 1, &memory, &m, &err) != STRATA_OK) {
        strata_error_text(&err, message, sizeof message);
        fail_msg("%s\n%s", message, text);
    }
    return m;
}

/* The whole of a file below tests/data/ptx. */
static inline char *read_fixture(const char *name)
{
    char path[600];
    const char *root = getenv("STRATA_SOURCE");
    snprintf(path, sizeof path, "%s/tests/data/ptx/%s", root ? root : ".", name);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("cannot read %s", path);
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    char *text = calloc(1, (size_t)n + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)n, f), (size_t)n);
    fclose(f);
    return text;
}

static inline struct strata_module *load_fixture(const char *name)
{
    char *text = read_fixture(name);
    struct strata_module *m = load_text(text);
    free(text);
    return m;
}

/* Expects the load to fail and gives its status; the sentence is in *err. */
static inline strata_status load_failure(const char *text, struct strata_error *err)
{
    struct strata_device_memory memory = strata_arena_memory(arena);
    struct strata_ptx_source source = {text, strlen(text), "test.ptx"};
    struct strata_module *m = NULL;
    strata_status status = strata_ptx_module_create(&source, 1, &memory, &m, err);
    assert_null(m);
    assert_int_not_equal(status, STRATA_OK);
    return status;
}

struct run_setup {
    uint32_t blocks, threads; /* of the grid; threads of a block */
    uint32_t host_threads;    /* 0: 1 */
    uint32_t shared_bytes;
    bool cooperative;
    const struct strata_record_sink *sink;
    struct strata_run_stats stats;
    struct strata_error err;
    const struct strata_texture *const *textures;
    size_t n_textures;
    uint64_t limit, sample_blocks;
    uint32_t interleave;
    void (*print)(void *user, const char *text, size_t length);
    void *print_user;
    const struct strata_gpu *gpu;
};

static inline strata_status run_entry(struct strata_module *m, const char *name,
                                      struct run_setup *s, const void *params)
{
    struct strata_run_options opt;
    struct strata_kernel_launch launch = {
        .entry = strata_module_entry_find(m, name),
        .grid = {s->blocks ? s->blocks : 1, 1, 1},
        .block = {s->threads ? s->threads : 32, 1, 1},
        .shared_dynamic_bytes = s->shared_bytes,
        .params = params,
        .cooperative = s->cooperative,
        .textures = s->textures,
        .n_textures = s->n_textures,
    };
    assert_non_null(launch.entry);
    strata_run_options_init(&opt);
    opt.threads = s->host_threads ? s->host_threads : 1;
    opt.sink = s->sink;
    opt.instruction_limit = s->limit ? s->limit : 50000000;
    opt.sample_blocks = s->sample_blocks;
    opt.interleave = s->interleave;
    opt.print = s->print;
    opt.print_user = s->print_user;
    opt.gpu = s->gpu;
    return strata_module_run(m, &launch, &opt, &s->stats, &s->err);
}

static inline void run_ok(struct strata_module *m, const char *name, struct run_setup *s,
                          const void *params)
{
    char message[1300];
    if (run_entry(m, name, s, params) != STRATA_OK) {
        strata_error_text(&s->err, message, sizeof message);
        fail_msg("%s", message);
    }
}

/* ---- value tables ----
 *
 * A row is an instruction over the registers below, the bits of its three sources and the bits
 * expected in its destination. Sources: %rd1..3, %r1..3 (low words), %h1..3 (low halves), %f, %d
 * the same bits as floats, %p1..3 (nonzero). Destination: register 0 of the family given by `kind`
 * (r, d = 64 bits, h, p). The instruction is run by all lanes, then guarded by the odd ones. */
struct value_row {
    const char *inst;
    char kind;
    uint64_t a, b, c, expected;
};

#define VALUE_KERNEL                                                                               \
    PTX_HEAD ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"                             \
             ".reg .b64 %%rd<20>; .reg .b32 %%r<20>; .reg .b16 %%h<8>; .reg .f32 %%f<8>;\n"        \
             ".reg .f64 %%d<8>; .reg .pred %%p<8>; .reg .pred %%odd; .reg .b32 %%lane;\n"          \
             "ld.param.u64 %%rd10,[in]; ld.param.u64 %%rd11,[out];\n"                              \
             "ld.global.u64 %%rd1,[%%rd10]; ld.global.u64 %%rd2,[%%rd10+8];\n"                     \
             "ld.global.u64 %%rd3,[%%rd10+16];\n"                                                  \
             "cvt.u32.u64 %%r1,%%rd1; cvt.u32.u64 %%r2,%%rd2; cvt.u32.u64 %%r3,%%rd3;\n"           \
             "cvt.u16.u64 %%h1,%%rd1; cvt.u16.u64 %%h2,%%rd2; cvt.u16.u64 %%h3,%%rd3;\n"           \
             "mov.b32 %%f1,%%r1; mov.b32 %%f2,%%r2; mov.b32 %%f3,%%r3;\n"                          \
             "mov.b64 %%d1,%%rd1; mov.b64 %%d2,%%rd2; mov.b64 %%d3,%%rd3;\n"                       \
             "setp.ne.u64 %%p1,%%rd1,0; setp.ne.u64 %%p2,%%rd2,0; setp.ne.u64 %%p3,%%rd3,0;\n"     \
             "mov.u32 %%lane,%%laneid; and.b32 %%r10,%%lane,1; setp.ne.u32 %%odd,%%r10,0;\n"       \
             "mov.u32 %%r0,0x5a5a5a5a; mov.u64 %%rd0,0x5a5a5a5a5a5a5a5a; mov.u16 %%h0,0x5a5a;\n"   \
             "mov.b32 %%f0,%%r0; mov.b64 %%d0,%%rd0; setp.eq.u32 %%p0,1,0;\n"                      \
             "%s%s\n"                                                                              \
             "%s\n"                                                                                \
             "mul.wide.u32 %%rd12,%%lane,8; add.u64 %%rd11,%%rd11,%%rd12;\n"                       \
             "st.global.u64 [%%rd11],%%rd15; ret;\n}\n"

/* The 64 bits stored for each kind of destination. */
static inline const char *result_code(char kind)
{
    switch (kind) {
    case 'r':
        return "cvt.u64.u32 %rd15,%r0;";
    case 'h':
        return "cvt.u64.u16 %rd15,%h0;";
    case 'f':
        return "mov.b32 %r11,%f0; cvt.u64.u32 %rd15,%r11;";
    case 'D':
        return "mov.b64 %rd15,%d0;";
    case 'p':
        return "selp.b64 %rd15,1,0,%p0;";
    default:
        return "mov.u64 %rd15,%rd0;";
    }
}
static inline uint64_t untouched(char kind)
{
    return kind == 'p'                  ? 0
           : kind == 'h'                ? 0x5a5a
           : kind == 'r' || kind == 'f' ? 0x5a5a5a5au
                                        : 0x5a5a5a5a5a5a5a5aull;
}

static inline void run_value_row(const struct value_row *row, bool guarded, uint64_t out[32])
{
    char text[4096];
    snprintf(text, sizeof text, VALUE_KERNEL, guarded ? "@%odd " : "", row->inst,
             result_code(row->kind));
    struct strata_module *m = load_text(text);
    uint64_t *in = device_memory(24), *result = device_memory(256);
    in[0] = row->a;
    in[1] = row->b;
    in[2] = row->c;
    struct {
        void *in, *out;
    } params = {in, result};
    struct run_setup setup = {0};
    run_ok(m, "k", &setup, &params);
    memcpy(out, result, 256);
    strata_arena_release(arena, in);
    strata_arena_release(arena, result);
    strata_module_destroy(m);
}

static inline void check_value_rows(const struct value_row *rows, size_t n)
{
    uint64_t out[32];
    for (size_t i = 0; i < n; i++) {
        run_value_row(&rows[i], false, out);
        for (unsigned lane = 0; lane < 32; lane++)
            if (out[lane] != rows[i].expected)
                fail_msg("row %zu: %s with 0x%llx, 0x%llx, 0x%llx: got 0x%llx instead of 0x%llx", i,
                         rows[i].inst, (unsigned long long)rows[i].a, (unsigned long long)rows[i].b,
                         (unsigned long long)rows[i].c, (unsigned long long)out[lane],
                         (unsigned long long)rows[i].expected);
        run_value_row(&rows[i], true, out);
        for (unsigned lane = 0; lane < 32; lane++)
            if (out[lane] != (lane & 1 ? rows[i].expected : untouched(rows[i].kind)))
                fail_msg("row %zu: guarded %s: lane %u holds 0x%llx", i, rows[i].inst, lane,
                         (unsigned long long)out[lane]);
    }
}
#define CHECK_VALUES(rows) check_value_rows(rows, sizeof(rows) / sizeof *(rows))

#endif
