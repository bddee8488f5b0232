/* t_filter.c - launch filters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <strata/filter.h>

static struct strata_filter *make(const char *name, uint64_t skip, uint64_t count)
{
    struct strata_filter *f;
    assert_int_equal(strata_filter_create(name, skip, count, &f, NULL), STRATA_OK);
    return f;
}

static void names_match_without_namespace_and_parameters(void **state)
{
    (void)state;
    struct strata_filter *f = make("gemm", 0, 0);
    assert_true(strata_filter_take(f, "gemm"));
    assert_true(strata_filter_take(f, "_Z4gemmPfS_i"));
    assert_true(strata_filter_take(f, "_ZN4blas4gemmIfEEvPT_i"));
    assert_false(strata_filter_take(f, "_Z5gemm2Pf"));
    strata_filter_destroy(f);
    f = make("_Z4gemmPfS_i", 0, 0);
    assert_true(strata_filter_take(f, "_Z4gemmPfS_i"));
    assert_false(strata_filter_take(f, "_Z4gemmPd"));
    strata_filter_destroy(f);
}

static void an_expression_matches_anywhere_in_the_name(void **state)
{
    (void)state;
    struct strata_filter *f = make("regex:^(ge|sy)", 0, 0);
    assert_true(strata_filter_take(f, "_Z4gemmPfS_i"));
    assert_true(strata_filter_take(f, "_Z4syrkPfS_i"));
    assert_false(strata_filter_take(f, "_Z5merge"));
    strata_filter_destroy(f);
}

static void skip_and_count_count_matching_launches(void **state)
{
    (void)state;
    struct strata_filter *f = make("a", 1, 2);
    assert_false(strata_filter_take(f, "a"));
    assert_false(strata_filter_take(f, "b"));
    assert_true(strata_filter_take(f, "a"));
    assert_false(strata_filter_exhausted(f));
    assert_true(strata_filter_take(f, "a"));
    assert_true(strata_filter_exhausted(f));
    assert_false(strata_filter_take(f, "a"));
    strata_filter_destroy(f);
}

static void a_wrong_expression_is_a_usage_error(void **state)
{
    (void)state;
    struct strata_filter *f;
    struct strata_error err;
    assert_int_equal(strata_filter_create("regex:(", 0, 0, &f, &err), STRATA_EUSAGE);
    assert_non_null(strstr(err.message, "--kernel-name"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_match_without_namespace_and_parameters),
        cmocka_unit_test(an_expression_matches_anywhere_in_the_name),
        cmocka_unit_test(skip_and_count_count_matching_launches),
        cmocka_unit_test(a_wrong_expression_is_a_usage_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
