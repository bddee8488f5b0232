/* Errors: one sentence with its place in front. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <strata/status.h>

static void text_names_file_line_and_column(void **state)
{
    (void)state;
    struct strata_error err;
    char text[256];
    assert_int_equal(strata_fail(&err, STRATA_ECONFIG, "a.yaml", 14, 3, "unknown key \"%s\"", "x"),
                     STRATA_ECONFIG);
    strata_error_text(&err, text, sizeof text);
    assert_string_equal(text, "a.yaml:14:3: unknown key \"x\"");
}

static void a_missing_error_sink_is_allowed(void **state)
{
    (void)state;
    assert_int_equal(strata_fail(NULL, STRATA_EIO, NULL, 0, 0, "x"), STRATA_EIO);
}

static void no_memory_is_one_sentence(void **state)
{
    (void)state;
    struct strata_error err;
    char text[256];
    assert_int_equal(strata_no_memory(&err, NULL, NULL), STRATA_ENOMEM);
    strata_error_text(&err, text, sizeof text);
    assert_string_equal(text, "there is no memory left.");
    assert_int_equal(strata_no_memory(&err, "a.strata", "to place %d blocks", 7), STRATA_ENOMEM);
    strata_error_text(&err, text, sizeof text);
    assert_string_equal(text, "a.strata: there is no memory left to place 7 blocks.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_names_file_line_and_column),
        cmocka_unit_test(no_memory_is_one_sentence),
        cmocka_unit_test(a_missing_error_sink_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
