/* Results: what is set can be got, in the order of first setting; the metric table is sound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <strata/result.h>

#include "result/launch_counters.h"

static const struct strata_launch launch = {.program = "prog",
                                            .trace = "kernel-1.traceg",
                                            .kernel = "k",
                                            .id = 7,
                                            .grid = {2, 3, 4},
                                            .block = {32, 1, 1}};

static void a_result_carries_the_launch(void **state)
{
    (void)state;
    struct strata_result r;
    assert_int_equal(strata_result_init(&r, &launch, NULL), STRATA_OK);
    assert_string_equal(r.program, "prog");
    assert_string_equal(r.trace, "kernel-1.traceg");
    assert_string_equal(r.kernel, "k");
    assert_int_equal(r.id, 7);
    assert_int_equal(r.grid.z, 4);
    strata_result_release(&r);
    assert_null(r.program);
}

static void setting_twice_replaces_and_keeps_the_order(void **state)
{
    (void)state;
    struct strata_result r;
    double v = -1;
    assert_int_equal(strata_result_init(&r, &launch, NULL), STRATA_OK);
    for (int i = 0; i < 40; i++) {
        char name[32];
        snprintf(name, sizeof name, "strata__m%d", i);
        strata_result_set(&r, name, i);
    }
    strata_result_set(&r, "strata__m3", 33);
    assert_int_equal(r.n_counters, 40);
    assert_string_equal(r.counter[3].name, "strata__m3");
    assert_true(strata_result_get(&r, "strata__m3", &v));
    assert_true(v == 33);
    assert_false(strata_result_get(&r, "strata__unknown", &v));
    assert_true(v == 33);
    assert_false(r.out_of_memory);
    strata_result_release(&r);
}

static void details_hold_numbers_and_words(void **state)
{
    (void)state;
    struct strata_result r;
    assert_int_equal(strata_result_init(&r, &launch, NULL), STRATA_OK);
    strata_result_detail(&r, "a.b", 5);
    strata_result_detail_text(&r, "a.c", "word");
    strata_result_detail_text(&r, "a.b", "now a word");
    strata_result_detail(&r, "a.c", 6);
    assert_int_equal(r.n_details, 2);
    assert_true(r.detail[0].is_text);
    assert_string_equal(r.detail[0].text, "now a word");
    assert_false(r.detail[1].is_text);
    assert_true(r.detail[1].value == 6);
    strata_result_warn(&r, "the %s was cut", "end");
    assert_string_equal(r.warning[0], "the end was cut");
    strata_result_release(&r);
}

static void every_metric_has_one_row_a_unit_and_a_definition(void **state)
{
    (void)state;
    size_t n;
    const struct strata_metric *m = strata_metric_table(&n);
    assert_true(n > 60);
    for (size_t i = 0; i < n; i++) {
        assert_true(m[i].unit[0] && m[i].definition[0] && m[i].aggregation[0]);
        assert_ptr_equal(strata_metric_find(m[i].name), &m[i]);
        /* a percentage says so in its name */
        assert_int_equal(!strcmp(m[i].unit, "%"), strstr(m[i].name, "pct") != NULL);
    }
    assert_null(strata_metric_find("nothing"));
}

static void every_column_of_the_measured_counters_is_a_known_metric(void **state)
{
    (void)state;
    const char *source = getenv("STRATA_SOURCE");
    char path[1024], line[8192];
    snprintf(path, sizeof path, "%s/../shared/truth/h200/counters.csv", source ? source : ".");
    FILE *f = fopen(path, "r");
    if (!f) {
        print_message("skipped: %s is not here\n", "../shared/truth/h200/counters.csv");
        skip();
    }
    assert_non_null(fgets(line, sizeof line, f));
    fclose(f);
    line[strcspn(line, "\r\n")] = 0;
    int column = 0;
    for (char *name = strtok(line, ","); name; name = strtok(NULL, ","), column++)
        if (column >= 7 && !strata_metric_find(name))
            fail_msg("no definition of %s", name);
    assert_true(column > 60);
}

static double value_of(const struct strata_result *r, const char *metric)
{
    double v;
    if (!strata_result_get(r, metric, &v))
        fail_msg("%s is not in the result", metric);
    return v;
}

static void a_count_that_was_not_made_is_left_out(void **state)
{
    (void)state;
    struct strata_result r;
    struct launch_counters c = {.ld_sectors = 8, .ld_hits = 3};
    assert_int_equal(strata_result_init(&r, &launch, NULL), STRATA_OK);
    launch_counters_report(&c, COUNTED(ld_sectors) | COUNTED(st_sectors), 32, &r);
    assert_int_equal(r.n_counters, 2);
    assert_true(value_of(&r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") == 8);
    assert_true(value_of(&r, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum") == 0);
    launch_counters_report(&c, COUNTED(ld_misses), 32, &r);
    assert_true(value_of(&r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum") == 5);
    strata_result_release(&r);
}

static void counts_are_told_in_the_profilers_sectors(void **state)
{
    (void)state;
    struct strata_result r;
    struct launch_counters c = {.to_l1_bytes = 96,
                                .l2_read = 3,
                                .dram_read = 2,
                                .other = {.dram = 80.5, .l2 = 700, .l2_hits = 500, .fabric = 80}};
    assert_int_equal(strata_result_init(&r, &launch, NULL), STRATA_OK);
    launch_counters_report(&c,
                           COUNTED(to_l1_bytes) | COUNTED(l2_read) | COUNTED(l2_requests) |
                               COUNTED(dram_read) | COUNTED(l2_read_hit) | COUNTED(l2_read_miss) |
                               COUNTED(fabric) | COUNTED(fabric_read) | COUNTED(l2_tex_read),
                           64, &r);
    assert_true(value_of(&r, "l1tex__m_xbar2l1tex_read_sectors.sum") == 3);
    assert_true(value_of(&r, "lts__t_sectors_op_read.sum") == 706);
    assert_true(value_of(&r, "lts__t_sectors_op_read_lookup_hit.sum") == 500);
    assert_true(value_of(&r, "lts__t_sectors_op_read_lookup_miss.sum") == 200);
    assert_true(value_of(&r, "lts__t_sectors_srcunit_ltcfabric.sum") == 80);
    assert_true(value_of(&r, "lts__t_sectors_srcunit_ltcfabric_op_read.sum") == 80);
    assert_true(value_of(&r, "lts__t_sectors_srcunit_tex_op_read.sum") == 0);
    assert_true(value_of(&r, "lts__t_requests_srcunit_tex.sum") == 0);
    assert_true(value_of(&r, "dram__sectors_read.sum") == 84.5);
    strata_result_release(&r);
}

/* Every count is added, and every one becomes a metric of the table, each another. */
static void every_count_has_a_metric_of_its_own(void **state)
{
    (void)state;
    struct strata_result r;
    struct launch_counters one, sum = {0};
    uint64_t *field = (uint64_t *)&one;
    for (size_t i = 0; i < offsetof(struct launch_counters, other) / 8; i++)
        field[i] = 32 * (i + 1);
    one.other = (struct other_sectors){0};
    launch_counters_add(&sum, &one);
    launch_counters_add(&sum, &one);
    const uint64_t *twice = (const uint64_t *)&sum;
    for (size_t i = 0; i < offsetof(struct launch_counters, other) / 8; i++)
        assert_int_equal(twice[i], 2 * field[i]);
    assert_int_equal(strata_result_init(&r, &launch, NULL), STRATA_OK);
    launch_counters_report(&one, UINT64_MAX, 32, &r);
    assert_int_equal(r.n_counters, N_LAUNCH_COUNTERS);
    for (size_t i = 0; i < r.n_counters; i++)
        assert_non_null(strata_metric_find(r.counter[i].name));
    strata_result_release(&r);
}

static void the_model_table_finds_its_own_rows(void **state)
{
    (void)state;
    size_t n;
    const struct strata_model *const *m = strata_model_table(&n);
    for (size_t i = 0; i < n; i++) {
        assert_ptr_equal(strata_model_find(m[i]->name), m[i]);
        assert_non_null(m[i]->run);
        assert_true(m[i]->summary[0]);
    }
    assert_null(strata_model_find("no such model"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_carries_the_launch),
        cmocka_unit_test(setting_twice_replaces_and_keeps_the_order),
        cmocka_unit_test(details_hold_numbers_and_words),
        cmocka_unit_test(every_metric_has_one_row_a_unit_and_a_definition),
        cmocka_unit_test(every_column_of_the_measured_counters_is_a_known_metric),
        cmocka_unit_test(a_count_that_was_not_made_is_left_out),
        cmocka_unit_test(counts_are_told_in_the_profilers_sectors),
        cmocka_unit_test(every_count_has_a_metric_of_its_own),
        cmocka_unit_test(the_model_table_finds_its_own_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
