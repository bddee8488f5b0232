/* The invariant checker finds each broken rule, and only that; counts of a launch; launch filters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <strata/check.h>
#include <strata/filter.h>
#include <strata/stats.h>

/* ---- a small launch, broken on demand ---- */

struct step {
    const char *opcode;
    uint64_t pc;
    uint32_t mask;
    uint8_t trace_width;
    bool has_addresses;
    uint64_t base;
    int32_t stride;
};

#define PLAIN(op, pc)                                                                              \
    {                                                                                              \
        op, pc, UINT32_MAX, 0, false, 0, 0                                                         \
    }
#define ACCESS(op, pc, base)                                                                       \
    {                                                                                              \
        op, pc, UINT32_MAX, 4, true, base, 4                                                       \
    }

static const struct step good[] = {PLAIN("S2R", 0),          ACCESS("LDG.E", 16, 0x7f0000000000),
                                   ACCESS("STS", 32, 0x400), PLAIN("BAR.SYNC", 48),
                                   ACCESS("LDS", 64, 0x400), PLAIN("EXIT", 80)};
#define N_GOOD (sizeof good / sizeof good[0])

struct scenario {
    const char *rule;
    struct step step[12]; /* instead of `good` if the first opcode is set, in warp 0 of block 0 */
    size_t n;
    uint64_t block[4]; /* indices to write */
    size_t n_blocks;
    uint32_t n_warps;    /* written; the launch says 2 */
    uint32_t empty_warp; /* 1-based */
};

static char path[] = "/tmp/strata-check-XXXXXX.strata";

static void add_steps(struct strata_builder *b, struct strata_code *code, const struct step *s,
                      size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct strata_inst inst = {
            .opcode = s[i].opcode, .pc = s[i].pc, .trace_width = s[i].trace_width};
        uint32_t index;
        strata_inst_decode_sass(&inst, s[i].trace_width > 0, false);
        assert_int_equal(strata_code_add(code, &inst, &index, NULL), STRATA_OK);
        if (s[i].has_addresses)
            assert_int_equal(
                strata_builder_add_strided(b, index, s[i].mask, s[i].base, s[i].stride, NULL),
                STRATA_OK);
        else
            assert_int_equal(strata_builder_add(b, index, s[i].mask, NULL, NULL), STRATA_OK);
    }
}

static const struct strata_launch_texture texture = {.base = 0x7f0000000001,
                                                     .pitch_bytes = 256,
                                                     .slice_bytes = 256,
                                                     .width = 128,
                                                     .height = 1,
                                                     .depth = 1,
                                                     .texels = STRATA_TEXELS_LINEAR,
                                                     .texel_bytes = 2};

static void write_scenario(const struct scenario *x)
{
    struct strata_launch launch = {.program = "p",
                                   .trace = "t",
                                   .kernel = "_Z4gemmPf",
                                   .grid = {2, 1, 1},
                                   .block = {64, 1, 1},
                                   .shared_static_bytes = 128,
                                   .sm_version = 90,
                                   .textures = &texture,
                                   .n_textures = 1};
    struct strata_writer *w;
    struct strata_code *code;
    struct strata_builder *b;
    assert_int_equal(strata_writer_create(path, NULL, &w, NULL), STRATA_OK);
    strata_code_create(&code, NULL);
    strata_builder_create(code, &b, NULL);
    strata_writer_begin_launch(w, &launch, code, NULL);
    size_t n_blocks = x->n_blocks ? x->n_blocks : 2;
    for (size_t k = 0; k < n_blocks; k++) {
        struct strata_block *block;
        uint32_t n_warps = x->n_warps ? x->n_warps : 2;
        strata_builder_begin_block(b, x->n_blocks ? x->block[k] : k, n_warps, NULL);
        for (uint32_t warp = 0; warp < n_warps; warp++) {
            if (warp + 1 == x->empty_warp)
                continue;
            strata_builder_begin_warp(b, warp, NULL);
            bool special = x->n && !k && !warp;
            add_steps(b, code, special ? x->step : good, special ? x->n : N_GOOD);
        }
        assert_int_equal(strata_builder_end_block(b, &block, NULL), STRATA_OK);
        assert_int_equal(strata_writer_block(w, block, NULL), STRATA_OK);
        strata_block_destroy(block);
    }
    strata_writer_end_launch(w, NULL);
    assert_int_equal(strata_writer_finish(w, NULL), STRATA_OK);
    strata_builder_destroy(b);
    strata_code_destroy(code);
}

static void check_file(struct strata_check_report *report)
{
    struct strata_trace *t;
    struct strata_reader *r;
    assert_int_equal(strata_trace_open(path, NULL, &t, NULL), STRATA_OK);
    assert_int_equal(strata_reader_open(t, 0, &r, NULL), STRATA_OK);
    assert_int_equal(strata_check_launch(r, report, NULL), STRATA_OK);
    strata_reader_close(r);
    strata_trace_close(t);
}

static const struct scenario scenarios[] = {
    {.rule = NULL},
    {.rule = "block-in-grid", .block = {0, 7, 1}, .n_blocks = 3},
    {.rule = "block-once", .block = {0, 1, 1}, .n_blocks = 3},
    {.rule = "all-blocks", .block = {1}, .n_blocks = 1},
    {.rule = "warps-per-block", .n_warps = 1},
    {.rule = "warp-not-empty", .empty_warp = 2},
    {.rule = "live-lanes",
     .step = {PLAIN("S2R", 0),
              {"EXIT", 80, 0xf, 0, false, 0, 0},
              PLAIN("BAR.SYNC", 48),
              PLAIN("EXIT", 80)},
     .n = 4},
    {.rule = "nothing-after-exit",
     .step = {PLAIN("BAR.SYNC", 48), PLAIN("EXIT", 80), PLAIN("S2R", 0)},
     .n = 3},
    {.rule = "exit-at-end",
     .step = {PLAIN("BAR.SYNC", 48), {"EXIT", 80, 0xffff, 0, false, 0, 0}},
     .n = 2},
    {.rule = "has-addresses",
     .step = {PLAIN("BAR.SYNC", 48), {"LDG.E", 16, 1, 4, false, 0, 0}, PLAIN("EXIT", 80)},
     .n = 3},
    {.rule = "addresses-on-memory",
     .step = {PLAIN("BAR.SYNC", 48), ACCESS("IADD3", 96, 0x7f0000000000), PLAIN("EXIT", 80)},
     .n = 3},
    {.rule = "aligned",
     .step = {PLAIN("BAR.SYNC", 48), ACCESS("LDG.E", 16, 0x7f0000000002), PLAIN("EXIT", 80)},
     .n = 3},
    {.rule = "not-null",
     .step = {PLAIN("BAR.SYNC", 48), ACCESS("LDG.E", 16, 0xffc), PLAIN("EXIT", 80)},
     .n = 3},
    {.rule = "shared-in-range",
     .step = {PLAIN("BAR.SYNC", 48), ACCESS("LDS", 64, 0x404), PLAIN("EXIT", 80)},
     .n = 3},
    {.rule = NULL,
     .step = {PLAIN("BAR.SYNC", 48), ACCESS("TEX", 128, 0x7f0000000003), PLAIN("EXIT", 80)},
     .n = 3},
    {.rule = "aligned",
     .step = {PLAIN("BAR.SYNC", 48), ACCESS("TEX", 128, 0x7f0000000004), PLAIN("EXIT", 80)},
     .n = 3},
    {.rule = "in-texture",
     .step = {PLAIN("BAR.SYNC", 48), ACCESS("TEX", 128, 0x7f0000000101), PLAIN("EXIT", 80)},
     .n = 3},
    {.rule = "one-opcode-per-pc",
     .step = {PLAIN("BAR.SYNC", 48), PLAIN("MOV", 0), PLAIN("EXIT", 80)},
     .n = 3},
    {.rule = "barriers-agree", .step = {PLAIN("EXIT", 80)}, .n = 1},
    {.rule = "known-opcode",
     .step = {PLAIN("BAR.SYNC", 48), PLAIN("ZZTOP", 112), PLAIN("EXIT", 80)},
     .n = 3},
};

static void each_broken_rule_is_found_and_no_other(void **state)
{
    (void)state;
    size_t n_rules;
    const struct strata_rule *rules = strata_check_rules(&n_rules);
    assert_true(n_rules <= STRATA_MAX_RULES);
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
        struct strata_check_report report;
        uint64_t n_errors = 0, n_notes = 0;
        bool found = false;
        write_scenario(&scenarios[i]);
        check_file(&report);
        for (size_t r = 0; r < n_rules; r++) {
            bool expected = scenarios[i].rule && !strcmp(rules[r].name, scenarios[i].rule);
            if ((report.finding[r].count > 0) != expected)
                fail_msg("scenario %s: rule %s counted %llu",
                         scenarios[i].rule ? scenarios[i].rule : "none", rules[r].name,
                         (unsigned long long)report.finding[r].count);
            found |= expected;
            n_errors += expected && rules[r].is_error;
            n_notes += expected && !rules[r].is_error;
        }
        assert_int_equal(found, scenarios[i].rule != NULL);
        assert_int_equal(report.n_errors, n_errors);
        assert_int_equal(report.n_notes, n_notes);
    }
}

static void a_finding_tells_the_first_place(void **state)
{
    (void)state;
    struct scenario x = {.step = {PLAIN("BAR.SYNC", 48), ACCESS("LDG.E", 16, 0x7f0000000001),
                                  ACCESS("LDG.E", 16, 0x7f0000000003), PLAIN("EXIT", 80)},
                         .n = 4};
    struct strata_check_report report;
    size_t n;
    const struct strata_rule *rules = strata_check_rules(&n);
    write_scenario(&x);
    check_file(&report);
    for (size_t r = 0; r < n; r++)
        if (!strcmp(rules[r].name, "aligned")) {
            const struct strata_finding *f = &report.finding[r];
            assert_int_equal(f->count, 2);
            assert_true(f->has_block && f->has_warp && f->has_instruction);
            assert_int_equal(f->block, 0);
            assert_int_equal(f->warp, 0);
            assert_int_equal(f->instruction, 1);
            assert_non_null(strstr(f->detail, "LDG.E"));
        }
    assert_int_equal(report.blocks, 2);
    assert_int_equal(report.warp_instructions, 3 * N_GOOD + 4);
}

static void statistics_count_classes_lanes_and_bytes(void **state)
{
    (void)state;
    struct scenario x = {.step = {PLAIN("ZZTOP", 112),
                                  {"LDG.E.64", 128, 0xff, 8, true, 0x7f0000000000, 8},
                                  {"LDG.E.64", 128, 0, 8, false, 0, 0},
                                  PLAIN("EXIT", 80)},
                         .n = 4};
    struct strata_trace *t;
    struct strata_reader *r;
    struct strata_stats s;
    write_scenario(&x);
    assert_int_equal(strata_trace_open(path, NULL, &t, NULL), STRATA_OK);
    assert_int_equal(strata_reader_open(t, 0, &r, NULL), STRATA_OK);
    assert_int_equal(strata_stats_collect(r, &s, NULL), STRATA_OK);
    const struct strata_access_stats *loads = &s.access[STRATA_SPACE_GLOBAL][STRATA_MEM_LOAD];
    assert_int_equal(s.blocks, 2);
    assert_int_equal(s.warps, 4);
    assert_int_equal(s.warp_instructions, 3 * N_GOOD + 4);
    assert_int_equal(s.thread_instructions, 3 * N_GOOD * 32 + 32 + 8 + 0 + 32);
    assert_int_equal(s.by_class[STRATA_OP_EXIT], 4);
    assert_int_equal(s.by_class[STRATA_OP_MEM], 3 * 3 + 2);
    assert_int_equal(loads->warp_instructions, 3 + 2);
    assert_int_equal(loads->thread_accesses, 3 * 32 + 8);
    assert_int_equal(loads->bytes, 3 * 32 * 4 + 8 * 8);
    assert_int_equal(s.unknown_static, 1);
    assert_int_equal(s.unknown_warp_instructions, 1);
    assert_string_equal(s.unknown_example, "ZZTOP");
    strata_reader_close(r);
    strata_trace_close(t);
    for (unsigned i = 0; i < STRATA_N_OPCLASS; i++)
        assert_non_null(strata_opclass_name(i));
}

static size_t taken(const char *name, uint64_t skip, uint64_t count, const char *const *kernel,
                    size_t n)
{
    struct strata_filter *f;
    size_t accepted = 0;
    assert_int_equal(strata_filter_create(name, skip, count, &f, NULL), STRATA_OK);
    for (size_t i = 0; i < n; i++) {
        struct strata_launch launch = {.kernel = kernel[i]};
        accepted += strata_filter_choose(f, &launch, i);
    }
    assert_int_equal(strata_filter_check(f, "x", NULL), accepted ? STRATA_OK : STRATA_EUSAGE);
    strata_filter_destroy(f);
    return accepted;
}

static void filters_count_only_launches_that_match(void **state)
{
    (void)state;
    static const char *const kernel[] = {"_Z4gemmPf", "_Z4axpyPf", "_Z4gemmPf",
                                         "_ZN2ns4gemmIfEEvPT_", "gemm2"};
    struct strata_filter *f;
    struct strata_error err;
    assert_int_equal(taken(NULL, 0, 0, kernel, 5), 5);
    assert_int_equal(taken("gemm", 0, 0, kernel, 5), 3);
    assert_int_equal(taken("_Z4axpyPf", 0, 0, kernel, 5), 1);
    assert_int_equal(taken("regex:gemm", 0, 0, kernel, 5), 4);
    assert_int_equal(taken("regex:^gemm$", 1, 0, kernel, 5), 2);
    assert_int_equal(taken("gemm", 1, 1, kernel, 5), 1);
    assert_int_equal(taken("gemm", 3, 0, kernel, 5), 0);
    assert_int_equal(taken("none", 0, 0, kernel, 5), 0);
    assert_int_equal(strata_filter_create("regex:[", 0, 0, &f, &err), STRATA_EUSAGE);
}

static int make_file(void **state)
{
    (void)state;
    int fd = mkstemps(path, 7);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_broken_rule_is_found_and_no_other),
        cmocka_unit_test(a_finding_tells_the_first_place),
        cmocka_unit_test(statistics_count_classes_lanes_and_bytes),
        cmocka_unit_test(filters_count_only_launches_that_match),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
