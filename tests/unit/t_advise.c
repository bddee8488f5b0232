/* Every rule of strata advise: a launch that has the fault, and one that has it not. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <strata/advise.h>
#include <strata/sites.h>

/* What one launch does: each warp repeats loads, arithmetic, stores and the rest. */
struct work {
    uint32_t blocks, warps, repeats;
    uint32_t loads, load_stride; /* lanes apart in bytes; 0 loads: none */
    uint32_t stores, store_stride;
    uint32_t shared, shared_stride; /* loads from shared memory */
    uint32_t atomics, atomic_words; /* additions to so many words of global memory */
    uint32_t arithmetic, tensor, barriers;
    bool reuse;     /* every warp loads the same data */
    bool dependent; /* each load's address waits for the one before */
    uint32_t registers, shared_bytes;
    uint32_t load_span;      /* loads begin anew after so many bytes; 0: never */
    uint32_t sms;            /* of an H200 with so many SMs; 0: all */
    uint32_t long_block;     /* the first block repeats so many times as often */
    const char *key, *value; /* of the GPU; NULL: as it is */
};

struct bench {
    struct strata_code *code;
    struct strata_builder *builder;
    struct strata_writer *writer;
    uint32_t ldg, stg, lds, red, add, mma, bar, exit;
};

static uint32_t add_inst(struct strata_code *code, uint64_t pc, const char *opcode, bool addresses,
                         uint16_t dst, uint16_t src, uint32_t line)
{
    struct strata_inst i = {.pc = pc, .opcode = opcode, .source_line = line};
    uint32_t index;
    strata_inst_decode_sass(&i, addresses, false);
    i.n_dst = dst ? 1 : 0;
    i.n_src = src ? 1 : 0;
    i.reg[0] = dst ? dst : src;
    i.reg[i.n_dst] = src;
    assert_int_equal(strata_code_add(code, &i, &index, NULL), STRATA_OK);
    return index;
}

static void put(struct bench *b, uint32_t inst, uint64_t base, int32_t stride)
{
    assert_int_equal(strata_builder_add_strided(b->builder, inst, UINT32_MAX, base, stride, NULL),
                     STRATA_OK);
}

static void put_plain(struct bench *b, uint32_t inst, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(strata_builder_add(b->builder, inst, UINT32_MAX, NULL, NULL), STRATA_OK);
}

static void put_atomic(struct bench *b, const struct work *w, uint64_t seed)
{
    uint64_t address[32];
    for (uint64_t l = 0; l < 32; l++)
        address[l] = 0x900000000 + 4 * ((seed * 2654435761u + l * 40503u) % w->atomic_words);
    assert_int_equal(strata_builder_add(b->builder, b->red, UINT32_MAX, address, NULL), STRATA_OK);
}

static void put_warp(struct bench *b, const struct work *w, uint64_t serial, uint32_t repeats)
{
    for (uint32_t r = 0; r < repeats; r++) {
        uint64_t turn = serial * w->repeats + r;
        for (uint32_t i = 0; i < w->loads; i++) {
            uint64_t at = (w->reuse ? r : turn * w->loads + i) * 32ull * w->load_stride;
            put(b, b->ldg, 0x100000000 + (w->load_span ? at % w->load_span : at),
                (int32_t)w->load_stride);
        }
        put_plain(b, b->add, w->arithmetic);
        put_plain(b, b->mma, w->tensor);
        for (uint32_t i = 0; i < w->shared; i++)
            put(b, b->lds, 0, (int32_t)w->shared_stride);
        for (uint32_t i = 0; i < w->stores; i++)
            put(b, b->stg, 0x500000000 + (turn * w->stores + i) * 32ull * w->store_stride,
                (int32_t)w->store_stride);
        for (uint32_t i = 0; i < w->atomics; i++)
            put_atomic(b, w, turn * w->atomics + i);
        put_plain(b, b->bar, w->barriers);
    }
    put_plain(b, b->exit, 1);
}

static void put_block(struct bench *b, const struct work *w, uint32_t index)
{
    struct strata_block *made;
    uint32_t repeats = w->repeats * (w->long_block && !index ? w->long_block : 1);
    assert_int_equal(strata_builder_begin_block(b->builder, index, w->warps, NULL), STRATA_OK);
    for (uint32_t i = 0; i < w->warps; i++) {
        assert_int_equal(strata_builder_begin_warp(b->builder, i, NULL), STRATA_OK);
        put_warp(b, w, (uint64_t)index * w->warps + i, repeats);
    }
    assert_int_equal(strata_builder_end_block(b->builder, &made, NULL), STRATA_OK);
    assert_int_equal(strata_writer_block(b->writer, made, NULL), STRATA_OK);
    strata_block_destroy(made);
}

static void write_work(const struct work *w, const char *path)
{
    struct bench b = {0};
    const struct strata_launch launch = {.program = "p",
                                         .trace = "t",
                                         .kernel = "k",
                                         .id = 1,
                                         .grid = {w->blocks, 1, 1},
                                         .block = {32 * w->warps, 1, 1},
                                         .registers_per_thread = w->registers ? w->registers : 32,
                                         .shared_static_bytes = w->shared_bytes,
                                         .sm_version = 90};
    assert_int_equal(strata_code_create(&b.code, NULL), STRATA_OK);
    b.ldg = add_inst(b.code, 0x10, "LDG.E", true, 4, w->dependent ? 4 : 2, 11);
    b.add = add_inst(b.code, 0x20, "FADD", false, 6, 4, 12);
    b.mma = add_inst(b.code, 0x28, "HMMA.16816.F32", false, 8, 6, 13);
    b.lds = add_inst(b.code, 0x30, "LDS", true, 10, 2, 14);
    b.stg = add_inst(b.code, 0x40, "STG.E", true, 0, 4, 15);
    b.red = add_inst(b.code, 0x50, "RED.E.ADD.STRONG.GPU", true, 0, 4, 16);
    b.bar = add_inst(b.code, 0x60, "BAR.SYNC", false, 0, 0, 17);
    b.exit = add_inst(b.code, 0x70, "EXIT", false, 0, 0, 18);
    assert_int_equal(strata_builder_create(b.code, &b.builder, NULL), STRATA_OK);
    assert_int_equal(strata_writer_create(path, NULL, &b.writer, NULL), STRATA_OK);
    assert_int_equal(strata_writer_begin_launch(b.writer, &launch, b.code, NULL), STRATA_OK);
    for (uint32_t i = 0; i < w->blocks; i++)
        put_block(&b, w, i);
    assert_int_equal(strata_writer_end_launch(b.writer, NULL), STRATA_OK);
    assert_int_equal(strata_writer_finish(b.writer, NULL), STRATA_OK);
    strata_builder_destroy(b.builder);
    strata_code_destroy(b.code);
}

static struct strata_gpu *load_gpu(const struct work *w)
{
    static struct strata_gpu gpu;
    struct strata_error err;
    char path[4096];
    const char *source = getenv("STRATA_SOURCE");
    snprintf(path, sizeof path, "%s/gpus/h200.yaml", source ? source : ".");
    assert_int_equal(strata_gpu_load(path, &gpu, &err), STRATA_OK);
    snprintf(path, sizeof path, "%u", w->sms);
    if (w->key)
        assert_int_equal(strata_gpu_override(&gpu, w->key, w->value, &err), STRATA_OK);
    if (w->sms)
        assert_int_equal(strata_gpu_override(&gpu, "sm.count", path, &err), STRATA_OK);
    return &gpu;
}

static void advise_on(const struct work *w, struct strata_advice *out)
{
    char folder[] = "/tmp/t_advise.XXXXXX", path[64];
    struct strata_trace *trace;
    struct strata_error err;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/w.strata", folder);
    write_work(w, path);
    const struct strata_advise_options opt = {
        .gpu = load_gpu(w), .seed = 1, .scratch = folder, .gpu_name = "h200"};
    assert_int_equal(strata_trace_open(path, NULL, &trace, &err), STRATA_OK);
    strata_status status = strata_advise(trace, 0, &opt, out, &err);
    if (status != STRATA_OK)
        print_message("%s\n", err.message);
    assert_int_equal(status, STRATA_OK);
    strata_trace_close(trace);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* nothing was left behind */
}

static const struct strata_finding *find(const struct strata_advice *a, const char *rule)
{
    for (size_t i = 0; i < a->n_findings; i++)
        if (!strcmp(a->finding[i].rule, rule))
            return &a->finding[i];
    return NULL;
}

/* Work that several cases have, and the difference between them. */
#define ARITHMETIC                                                                                 \
    {                                                                                              \
        .blocks = 64, .warps = 8, .repeats = 16, .arithmetic = 8, .sms = 8                         \
    }
#define SCATTERED_HITS                                                                             \
    {                                                                                              \
        .blocks = 64, .warps = 8, .repeats = 8, .loads = 4, .load_stride = 132, .reuse = true,     \
        .sms = 8                                                                                   \
    }
#define LOADS_FROM_L2(...)                                                                         \
    {                                                                                              \
        .blocks = 64, .warps = 8, .repeats = 8, .loads = 2, .load_stride = 4,                      \
        .load_span = 1 << 20, .sms = 8, __VA_ARGS__                                                \
    }
#define CHAINS(n, ...)                                                                             \
    {                                                                                              \
        .warps = 8, .repeats = n, .loads = 1, .load_stride = 4, .arithmetic = 1,                   \
        .dependent = true, .sms = 8, __VA_ARGS__                                                   \
    }
#define SHARED_LOADS(stride)                                                                       \
    {                                                                                              \
        .blocks = 128, .warps = 8, .repeats = 16, .shared = 2, .shared_stride = stride,            \
        .shared_bytes = 4096, .sms = 8                                                             \
    }
/* The rules in the table's order; `with` has the fault and `without` is the same work mended. */
static const struct {
    const char *rule;
    struct work with, without;
    uint32_t line; /* that it must name; 0: none */
} cases[] = {
    {"few-blocks",
     {.blocks = 4, .warps = 8, .repeats = 64, .loads = 1, .load_stride = 4, .arithmetic = 4},
     {.blocks = 1056, .warps = 8, .repeats = 4, .loads = 1, .load_stride = 4, .arithmetic = 4},
     0},
    {"uncoalesced-store",
     {.blocks = 528, .warps = 8, .repeats = 2, .stores = 1, .store_stride = 128, .arithmetic = 2},
     {.blocks = 528, .warps = 8, .repeats = 2, .stores = 1, .store_stride = 4, .arithmetic = 2},
     15},
    {"uncoalesced-load",
     {.blocks = 528, .warps = 8, .repeats = 2, .loads = 1, .load_stride = 128, .arithmetic = 2},
     {.blocks = 528, .warps = 8, .repeats = 2, .loads = 1, .load_stride = 4, .arithmetic = 2},
     11},
    {"global-atomics",
     {.blocks = 528, .warps = 8, .repeats = 8, .atomics = 1, .atomic_words = 256, .arithmetic = 2},
     ARITHMETIC,
     16},
    {"contended-atomics",
     {.blocks = 528, .warps = 8, .repeats = 8, .atomics = 1, .atomic_words = 100000},
     ARITHMETIC,
     16},
    {"bank-conflicts", SHARED_LOADS(128), SHARED_LOADS(4), 14},
    {"tail", CHAINS(12, .blocks = 68), CHAINS(12, .blocks = 128), 0},
    {"imbalance",
     {.blocks = 64, .warps = 8, .repeats = 16, .arithmetic = 8, .long_block = 32, .sms = 8},
     {.blocks = 64, .warps = 8, .repeats = 32, .arithmetic = 8, .sms = 8},
     0},
    {"registers", CHAINS(8, .blocks = 128, .registers = 128),
     CHAINS(8, .blocks = 128, .registers = 32), 0},
    {"shared-memory", CHAINS(8, .blocks = 128, .shared_bytes = 40000),
     CHAINS(8, .blocks = 128, .shared_bytes = 1000), 0},
    {"launch-cost",
     {.blocks = 132, .warps = 1, .repeats = 1, .loads = 1, .load_stride = 4},
     {.blocks = 128, .warps = 8, .repeats = 60, .arithmetic = 8, .sms = 8},
     0},
    {"dram",
     {.blocks = 1056, .warps = 8, .repeats = 5, .loads = 4, .load_stride = 4},
     {.blocks = 1056,
      .warps = 8,
      .repeats = 2,
      .loads = 1,
      .load_stride = 4,
      .reuse = true,
      .arithmetic = 32},
     11},
    {"lsu", SCATTERED_HITS, ARITHMETIC, 11},
    {"l1", SCATTERED_HITS, ARITHMETIC, 11},
    {"latency",
     {.blocks = 8,
      .warps = 1,
      .repeats = 64,
      .loads = 1,
      .load_stride = 4,
      .arithmetic = 1,
      .dependent = true,
      .sms = 8},
     ARITHMETIC,
     11},
    {"l2", LOADS_FROM_L2(.key = "l2.bytes_per_cycle_per_slice", .value = "1"), ARITHMETIC, 11},
    {"crossbar", LOADS_FROM_L2(.key = "xbar.response_bytes_per_cycle", .value = "8"), ARITHMETIC,
     11},
    {"issue",
     {.blocks = 128, .warps = 8, .repeats = 60, .arithmetic = 8, .sms = 8},
     {.blocks = 8,
      .warps = 1,
      .repeats = 64,
      .loads = 1,
      .load_stride = 4,
      .dependent = true,
      .sms = 8},
     0},
    {"tensor", {.blocks = 64, .warps = 8, .repeats = 16, .tensor = 4, .sms = 8}, ARITHMETIC, 0},
};

/* What was said of the same work before, or is said now: several cases share theirs. */
static const struct strata_advice *advised(const struct work *w)
{
    static struct {
        struct work work;
        struct strata_advice advice;
    } known[2 * sizeof cases / sizeof cases[0]];
    static size_t n;
    for (size_t i = 0; w && i < n; i++)
        if (!memcmp(&known[i].work, w, sizeof *w))
            return &known[i].advice;
    for (; !w && n; n--) /* the end: nothing is kept */
        strata_advice_release(&known[n - 1].advice);
    if (!w)
        return NULL;
    memcpy(&known[n].work, w, sizeof *w);
    advise_on(w, &known[n].advice);
    return &known[n++].advice;
}

/* `without` is the same work with this fault mended and nothing else. */
static bool is_mended_by(const char *rule)
{
    return !strncmp(rule, "uncoalesced", 11) || !strcmp(rule, "bank-conflicts");
}

/* A fault comes before a unit that would gain little more, the launch's own cost behind all that
 * gains more than the model's error of 8 %. */
static double worth(const struct strata_finding *f)
{
    bool cost = f->limiter == STRATA_LIMIT_LAUNCH && f->gain_pct > 8;
    return cost ? 8 : f->gain_pct * (f->is_cause ? 1.5 : 1);
}
static bool is_ordered(const struct strata_advice *a)
{
    for (size_t i = 1; i < a->n_findings; i++)
        if (worth(&a->finding[i - 1]) < worth(&a->finding[i]))
            return false;
    return true;
}

static void each_rule_finds_its_fault_and_nothing_else(void **state)
{
    (void)state;
    size_t failures = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct strata_advice *with = advised(&cases[i].with),
                                   *without = advised(&cases[i].without);
        const struct strata_finding *f = find(with, cases[i].rule);
        bool line = !cases[i].line || (f && f->n_lines && f->line[0].line == cases[i].line);
        bool bad = !f || find(without, cases[i].rule) || !line || !is_ordered(with);
        if (f && is_mended_by(cases[i].rule)) { /* the bound is the mended launch's own time */
            double off = f->time_ns / without->time_ns;
            print_message("%s: %.2f us for %.2f us\n", f->rule, f->time_ns / 1e3,
                          without->time_ns / 1e3);
            bad |= off < 0.85 || off > 1.15;
        }
        print_message("%-18s %5.1f %% of %.1f us%s%s%s\n", cases[i].rule, f ? f->gain_pct : 0.0,
                      with->time_ns / 1000, f ? "" : " NOT FOUND",
                      find(without, cases[i].rule) ? " FOUND WITHOUT FAULT" : "",
                      line ? "" : " WRONG LINE");
        for (size_t k = 0; bad && k < with->n_findings; k++)
            print_message("    with: %s %.1f\n", with->finding[k].rule, with->finding[k].gain_pct);
        failures += bad;
    }
    assert_int_equal(failures, 0);
}

/* Instructions of a kind times the cycles they take their pipe, of all the cycles there were. */
static double share_of_pipe(const struct strata_advice *a, const struct work *w, uint32_t each,
                            uint32_t interval)
{
    double cycles = 0, n = (double)w->blocks * w->warps * w->repeats * each;
    assert_true(strata_result_get(&a->result, "sm__cycles_elapsed.max", &cycles));
    return 100 * n * interval / (cycles * w->sms * 4);
}

static void a_pipe_is_as_busy_as_its_instructions_ask(void **state)
{
    (void)state;
    static const struct work additions = ARITHMETIC,
                             products = {
                                 .blocks = 64, .warps = 8, .repeats = 16, .tensor = 4, .sms = 8};
    const struct strata_gpu *gpu = load_gpu(&additions);
    const struct strata_advice *a = advised(&additions), *p = advised(&products);
    double pct;
    assert_float_equal(a->peak.fma, share_of_pipe(a, &additions, 8, gpu->sm.interval_fp32_cycles),
                       1e-6);
    assert_float_equal(p->peak.tensor,
                       share_of_pipe(p, &products, 4, gpu->sm.interval_tensor_cycles), 1e-6);
    assert_true(a->peak.fma > 10 && p->peak.tensor > 10);
    assert_float_equal(p->peak.fma, 0, 0);
    assert_float_equal(a->peak.alu, 0, 0);
    assert_float_equal(a->peak.xu, 0, 0);
    assert_float_equal(a->peak.tensor, 0, 0);
    /* the profiler's share is of active cycles, which are fewer */
    assert_true(strata_result_get(
        &a->result, "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active", &pct));
    assert_true(pct > a->peak.fma && pct < 100);
}

static int forget_advice(void **state)
{
    (void)state;
    advised(NULL);
    return 0;
}

static void every_rule_has_its_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < strata_advise_rule_count(); i++) {
        struct strata_rule_text r = strata_advise_rule(i);
        assert_true(*r.id && *r.title && *r.remedy && *r.how);
        assert_true(r.limiter > STRATA_LIMIT_NONE && r.limiter < STRATA_N_LIMITERS);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(r.id, strata_advise_rule(k).id);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_has_its_words),
        cmocka_unit_test(each_rule_finds_its_fault_and_nothing_else),
        cmocka_unit_test(a_pipe_is_as_busy_as_its_instructions_ask),
    };
    return cmocka_run_group_tests(tests, NULL, forget_advice);
}
