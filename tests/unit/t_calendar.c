/* Entries come out in the order of their times, and of their entry where those are equal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "reuse/calendar.h"

enum { STEPS = 20000 };

/* The oracle: all entries, searched for the earliest, the first among equals. */
struct plain {
    uint64_t at[STEPS], value[STEPS];
    size_t n;
};

static bool plain_take(struct plain *p, uint64_t limit, uint64_t *value)
{
    size_t best = p->n;
    for (size_t i = 0; i < p->n; i++)
        if (p->at[i] < limit && (best == p->n || p->at[i] < p->at[best]))
            best = i;
    if (best == p->n)
        return false;
    *value = p->value[best];
    for (size_t i = best; i + 1 < p->n; i++) {
        p->at[i] = p->at[i + 1];
        p->value[i] = p->value[i + 1];
    }
    p->n--;
    return true;
}

static void entries_come_out_in_order_of_time_and_of_entry(void **state)
{
    (void)state;
    struct plain *p = calloc(1, sizeof *p);
    struct calendar c = {0};
    uint64_t now = 0, got, want;
    for (uint64_t i = 0; i < STEPS; i++) {
        uint64_t reach = rng_below(1, i, 100) ? 40 : 3000; /* a rare one makes the ring grow */
        uint64_t at = now + rng_below(2, i, reach);
        assert_true(calendar_add(&c, at, i));
        p->at[p->n] = at;
        p->value[p->n++] = i;
        now += rng_below(3, i, 3);
        for (;;) {
            bool some = plain_take(p, now + 1, &want);
            assert_int_equal(calendar_take(&c, now + 1, &got), some);
            if (!some)
                break;
            assert_int_equal(got, want);
        }
    }
    assert_int_equal(c.n, p->n);
    calendar_release(&c);
    free(p);
}

static void an_instant_can_be_looked_at_before_it_is_taken(void **state)
{
    (void)state;
    struct calendar c = {0};
    uint64_t value;
    assert_null(calendar_first(&c, 5));
    assert_true(calendar_add(&c, 5, 10) && calendar_add(&c, 6, 20) && calendar_add(&c, 5, 30));
    assert_false(calendar_take(&c, 5, &value));
    const struct calendar_entry *e = calendar_first(&c, 5);
    assert_int_equal(e->value, 10);
    assert_int_equal(calendar_following(&c, e)->value, 30);
    assert_null(calendar_following(&c, calendar_following(&c, e)));
    assert_true(calendar_take(&c, 6, &value));
    assert_int_equal(value, 10);
    assert_true(calendar_add(&c, 5, 40)); /* the instant is not over */
    assert_true(calendar_take(&c, 6, &value) && value == 30 && calendar_take(&c, 6, &value) &&
                value == 40);
    assert_false(calendar_take(&c, 6, &value));
    calendar_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_come_out_in_order_of_time_and_of_entry),
        cmocka_unit_test(an_instant_can_be_looked_at_before_it_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
