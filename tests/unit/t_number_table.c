/* A table keeps every number's value, however many there are, and none that was not put in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/number_table.h"

enum { NUMBERS = 5000 };

/* Numbers as lines are: neighbours, and some that differ in high bits alone. */
static uint64_t number(uint64_t i)
{
    return i % 2 ? i << 48 : i * 128;
}

static void values_outlast_growth(void **state)
{
    (void)state;
    struct number_table t = {0};
    assert_null(number_table_find(&t, 0));
    for (uint64_t i = 0; i < NUMBERS; i++) {
        uint64_t *value = number_table_put(&t, number(i));
        assert_non_null(value);
        assert_int_equal(*value, 0);
        *value = i + 1;
    }
    assert_int_equal(t.n, NUMBERS);
    for (uint64_t i = 0; i < NUMBERS; i++)
        assert_int_equal(*number_table_find(&t, number(i)), i + 1);
    assert_null(number_table_find(&t, 64));
    number_table_release(&t);
    assert_null(number_table_find(&t, 0));
}

static void a_number_is_put_in_once(void **state)
{
    (void)state;
    struct number_table t = {0};
    *number_table_put(&t, 7) = 3;
    assert_int_equal(*number_table_put(&t, 7), 3);
    assert_int_equal(t.n, 1);
    number_table_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_outlast_growth),
        cmocka_unit_test(a_number_is_put_in_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
