/* Raw data of the microbenchmarks on disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <strata/probe.h>

static struct strata_probe_set set;
static struct strata_error err;

static void refuse(const char *manifest, const char *part_of_message)
{
    assert_int_not_equal(strata_probe_parse(manifest, strlen(manifest), "m.json", &set, &err),
                         STRATA_OK);
    assert_non_null(strstr(err.message, part_of_message));
    assert_string_equal(err.file, "m.json");
    strata_probe_release(&set);
}

static void what_is_saved_is_loaded_again(void **state)
{
    (void)state;
    char dir[] = "/tmp/strata-probe-XXXXXX", path[128];
    struct strata_probe_set out = {0};
    assert_non_null(mkdtemp(dir));
    memset(&set, 0, sizeof set);
    snprintf(set.target, sizeof set.target, "model:x");
    set.clock_mhz = 1980;
    struct strata_series *s =
        strata_probe_add(&set, "chase-l1-4", "chase", "l1", "step,index,latency");
    assert_non_null(s);
    assert_true(strata_series_set_parameter(s, "stride_bytes", 4));
    for (int i = 0; i < 1000; i++)
        assert_true(strata_series_add_row(s, (double[]){i, i * 3 % 7, 30.5 + i}));
    assert_int_equal(strata_probe_save(dir, &set, &err), STRATA_OK);
    assert_int_equal(strata_probe_load(dir, &out, &err), STRATA_OK);
    assert_int_equal(out.n_series, 1);
    assert_true(out.clock_mhz == 1980);
    const struct strata_series *back = strata_probe_find(&out, "chase-l1-4");
    assert_non_null(back);
    assert_string_equal(back->experiment, "chase");
    assert_true(strata_series_parameter(back, "stride_bytes", 0) == 4);
    assert_true(strata_series_parameter(back, "warmup", 7) == 7);
    assert_int_equal(strata_series_column(back, "latency"), 2);
    assert_int_equal(back->n_rows, 1000);
    assert_memory_equal(back->value, set.series[0].value, 3000 * sizeof(double));
    strata_probe_release(&out);
    strata_probe_release(&set);
    snprintf(path, sizeof path, "%s/chase-l1-4.csv.zst", dir);
    unlink(path);
    assert_int_not_equal(strata_probe_load(dir, &out, &err), STRATA_OK); /* a series is missing */
    strata_probe_release(&out);
    snprintf(path, sizeof path, "%s/manifest.json", dir);
    unlink(path);
    rmdir(dir);
}

static void damaged_manifests_are_refused_with_a_reason(void **state)
{
    (void)state;
    refuse("{", "not JSON");
    refuse("{\"schema\": \"strata.probe/2\"}", "strata.probe/1");
    refuse("{\"schema\": \"strata.probe/1\"}", "series");
    refuse("{\"schema\": \"strata.probe/1\", \"series\": [{\"name\": \"a\"}]}", "name");
    refuse(
        "{\"schema\": \"strata.probe/1\", \"series\": [{\"name\": \"a\", \"file\": \"../a.csv\"}]}",
        "file");
    refuse("{\"schema\": \"strata.probe/1\", \"series\": [{\"name\": \"a\", \"file\": \"a.csv\"}, "
           "{\"name\": \"a\", \"file\": \"b.csv\"}]}",
           "two series");
}

static void damaged_series_are_refused_with_their_line(void **state)
{
    (void)state;
    const char *const bad[] = {"", "a,b\n1\n", "a,b\n1,x\n", "a,b\n1,2\n3,nan\n"};
    const uint32_t line[] = {1, 2, 2, 3};
    for (int i = 0; i < 4; i++) {
        struct strata_series s = {0};
        assert_int_equal(strata_series_parse(bad[i], strlen(bad[i]), "s.csv", &s, &err),
                         STRATA_EFORMAT);
        assert_int_equal(err.line, line[i]);
        free(s.value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_saved_is_loaded_again),
        cmocka_unit_test(damaged_manifests_are_refused_with_a_reason),
        cmocka_unit_test(damaged_series_are_refused_with_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
