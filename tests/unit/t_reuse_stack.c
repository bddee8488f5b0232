/* Stack distances: every engine against a list that is searched from the front. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "reuse/parallel.h"
#include "reuse/stack.h"

/* The oracle: a stack as a plain array, most recent first. */
struct naive {
    uint64_t line[4096];
    uint32_t n;
};
static uint32_t naive_touch(struct naive *s, uint64_t line)
{
    uint32_t at = 0;
    while (at < s->n && s->line[at] != line)
        at++;
    uint32_t distance = at < s->n ? at : REUSE_COLD;
    if (at == s->n)
        s->n++;
    memmove(&s->line[1], &s->line[0], at * sizeof s->line[0]);
    s->line[0] = line;
    return distance;
}

static uint64_t pattern(int kind, uint32_t i)
{
    switch (kind) {
    case 0:
        return rng_below(7, i, 3000);
    case 1:
        return i % 1700; /* a cyclic sweep */
    case 2:
        return i & 1 ? i / 2 % 2000 : rng_below(3, i, 40); /* a sweep beside a hot set */
    default:
        return rng_below(9, i, 4000) * 0x10000001ull + 1; /* far apart */
    }
}

static void the_stack_agrees_with_a_list_searched_from_the_front(void **state)
{
    (void)state;
    enum { N = 200000, STEP = 777 };
    uint64_t *line = malloc(N * sizeof *line);
    uint32_t *distance = malloc(N * sizeof *distance);
    struct naive *naive = malloc(sizeof *naive);
    struct strata_error err;
    for (int kind = 0; kind < 4; kind++) {
        struct reuse_stack s;
        assert_int_equal(reuse_stack_init(&s, &err), STRATA_OK);
        naive->n = 0;
        for (uint32_t i = 0; i < N; i++)
            line[i] = pattern(kind, i);
        for (uint32_t at = 0; at < N; at += STEP)
            assert_int_equal(
                reuse_stack_run(&s, line + at, N - at < STEP ? N - at : STEP, distance + at, &err),
                STRATA_OK);
        for (uint32_t i = 0; i < N; i++)
            assert_int_equal(distance[i], naive_touch(naive, line[i]));
        assert_int_equal(s.n_lines, naive->n);
        for (uint32_t i = 0; i < naive->n; i += 17)
            assert_int_equal(reuse_stack_distance(&s, naive->line[i]), i);
        assert_int_equal(reuse_stack_distance(&s, 123456789123ull), REUSE_COLD);
        reuse_stack_release(&s);
    }
    free(naive);
    free(line);
    free(distance);
}

static void a_cleared_stack_has_seen_nothing(void **state)
{
    (void)state;
    struct reuse_stack s;
    struct strata_error err;
    uint32_t distance;
    assert_int_equal(reuse_stack_init(&s, &err), STRATA_OK);
    for (uint64_t i = 0; i < 5000; i++)
        assert_int_equal(reuse_stack_touch(&s, i, &distance, &err), STRATA_OK);
    reuse_stack_clear(&s);
    assert_int_equal(reuse_stack_touch(&s, 4, &distance, &err), STRATA_OK);
    assert_int_equal(distance, REUSE_COLD);
    assert_int_equal(reuse_stack_touch(&s, 4, &distance, &err), STRATA_OK);
    assert_int_equal(distance, 0);
    reuse_stack_release(&s);
}

static void memory_does_not_grow_with_the_number_of_accesses(void **state)
{
    (void)state;
    struct reuse_stack s;
    struct strata_error err;
    uint32_t distance;
    uint64_t after_a_while = 0;
    assert_int_equal(reuse_stack_init(&s, &err), STRATA_OK);
    for (uint32_t i = 0; i < 2000000; i++) {
        assert_int_equal(reuse_stack_touch(&s, rng_below(5, i, 5000), &distance, &err), STRATA_OK);
        if (i == 200000)
            after_a_while = reuse_stack_bytes(&s);
    }
    assert_int_equal(reuse_stack_bytes(&s), after_a_while);
    reuse_stack_release(&s);
}

static void
the_parallel_engine_gives_the_same_histogram_for_any_number_of_threads_and_calls(void **state)
{
    (void)state;
    enum { N = 400000 };
    uint64_t *line = malloc(N * sizeof *line);
    struct strata_error err;
    for (int kind = 0; kind < 4; kind++) {
        struct reuse_histogram want = {0};
        for (uint32_t i = 0; i < N; i++)
            line[i] = pattern(kind, i);
        for (uint32_t threads = 1; threads <= 5; threads++)
            for (uint32_t calls = 1; calls <= 3; calls++) {
                struct reuse_stack s;
                struct reuse_histogram got = {0};
                assert_int_equal(reuse_stack_init(&s, &err), STRATA_OK);
                for (uint32_t c = 0; c < calls; c++) {
                    size_t from = (size_t)N * c / calls, to = (size_t)N * (c + 1) / calls;
                    assert_int_equal(reuse_parallel_run(&s, line + from, to - from, threads,
                                                        c + 1 == calls, &got, &err),
                                     STRATA_OK);
                }
                if (threads == 1 && calls == 1) {
                    want = got;
                } else {
                    assert_int_equal(got.n, want.n);
                    assert_int_equal(got.cold, want.cold);
                    assert_int_equal(got.total, want.total);
                    assert_memory_equal(got.count, want.count, got.n * sizeof *got.count);
                    reuse_histogram_release(&got);
                }
                reuse_stack_release(&s);
            }
        reuse_histogram_release(&want);
    }
    free(line);
}

static void table_1_of_the_paper(void **state)
{
    (void)state;
    const uint64_t address[] = {0, 5, 3, 9, 3, 3, 5};
    const uint32_t of_address[] = {REUSE_COLD, REUSE_COLD, REUSE_COLD, REUSE_COLD, 1, 0, 2};
    const uint64_t line[] = {0, 1, 0, 2, 0, 0, 1};
    const uint32_t of_line[] = {REUSE_COLD, REUSE_COLD, 1, REUSE_COLD, 1, 0, 2};
    uint32_t distance[7];
    struct reuse_stack s;
    struct reuse_histogram h = {0};
    struct strata_error err;
    assert_int_equal(reuse_stack_init(&s, &err), STRATA_OK);
    assert_int_equal(reuse_stack_run(&s, address, 7, distance, &err), STRATA_OK);
    assert_memory_equal(distance, of_address, sizeof of_address);
    reuse_stack_clear(&s);
    for (int i = 0; i < 7; i++)
        assert_int_equal(address[i] / 4, line[i]);
    assert_int_equal(reuse_stack_run(&s, line, 7, distance, &err), STRATA_OK);
    assert_memory_equal(distance, of_line, sizeof of_line);
    /* figure 1, and a cache of two lines: 3 compulsory misses and 1 capacity miss */
    assert_int_equal(reuse_histogram_add(&h, distance, 7, &err), STRATA_OK);
    assert_int_equal(h.cold, 3);
    assert_int_equal(h.count[0], 1);
    assert_int_equal(h.count[1], 2);
    assert_int_equal(h.count[2], 1);
    assert_int_equal(reuse_histogram_misses(&h, 2) - h.cold, 1);
    reuse_histogram_release(&h);
    reuse_stack_release(&s);
}

/* P(hit | d) for A = 4, B = 128 by the exact binomial. */
static void misses_in_sets_follow_the_exact_binomial(void **state)
{
    (void)state;
    const struct {
        uint32_t distance;
        double hit;
    } known[] = {{64, 0.860}, {96, 0.647}, {128, 0.430}, {256, 0.040}, {512, 0.0001}};
    struct strata_error err;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct reuse_histogram h = {0};
        assert_int_equal(reuse_histogram_add(&h, &known[i].distance, 1, &err), STRATA_OK);
        double hit = 1 - reuse_histogram_misses_in_sets(&h, 128, 4);
        assert_true(hit > known[i].hit - 0.0006 && hit < known[i].hit + 0.0006);
        reuse_histogram_release(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stack_agrees_with_a_list_searched_from_the_front),
        cmocka_unit_test(a_cleared_stack_has_seen_nothing),
        cmocka_unit_test(memory_does_not_grow_with_the_number_of_accesses),
        cmocka_unit_test(
            the_parallel_engine_gives_the_same_histogram_for_any_number_of_threads_and_calls),
        cmocka_unit_test(table_1_of_the_paper),
        cmocka_unit_test(misses_in_sets_follow_the_exact_binomial),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
