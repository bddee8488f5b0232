/* Arrival of instructions: loops that fit a cache of instructions and loops that do not, at the
 * rates that device/probe/code_probe.cu measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "sm/fetch.h"
#include "sm/sm_inst.h"

enum {
    LINES_NEAR = 32,
    LINES_MIDDLE = 64,
    INTERVAL = 17,
    FAR = 46,
    STREAM = 61,
    ISSUE = 8,
    ROUNDS = 6
};

static struct strata_gpu gpu_that_fetches(void)
{
    struct strata_gpu gpu = {0};
    gpu.sm.fetch_line_bytes = 128;
    gpu.sm.fetch_interval_cycles = INTERVAL;
    gpu.sm.fetch_far_cycles = FAR;
    gpu.sm.fetch_miss_cycles = 300;
    gpu.sm.fetch_cold_cycles = 560;
    gpu.sm.fetch_ahead_lines = 8;
    return gpu;
}

/* Cycles a line in the last of some rounds through a loop, whose lines take 8 cycles to issue. */
static double steady(uint32_t lines, uint32_t near_lines, uint32_t middle_lines)
{
    static struct fetch_gpu g;
    struct strata_gpu gpu = gpu_that_fetches();
    struct fetch_sm sm;
    gpu.sm.fetch_near_bytes = near_lines * 128;
    gpu.sm.fetch_middle_bytes = middle_lines * 128;
    fetch_gpu_init(&g, &gpu);
    assert_int_equal(fetch_sm_init(&sm, &g, NULL), STRATA_OK);
    uint64_t t = 1000, began = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        began = t;
        for (uint32_t line = 0; line < lines; line++) {
            t = fetch_line(&g, &sm, line, t) + ISSUE;
            fetch_publish(&g, &sm);
        }
    }
    fetch_sm_release(&sm);
    return (double)(t - began) / lines;
}

static void loop_that_fits(void **state)
{
    (void)state;
    assert_true(steady(LINES_NEAR / 2, LINES_NEAR, LINES_MIDDLE) == ISSUE);
    assert_true(steady(4 * LINES_MIDDLE, 0, 0) == ISSUE); /* no size: all fits */
    assert_true(steady(LINES_MIDDLE, FETCH_MAX_LINES, 0) == ISSUE);
}

static void loop_of_the_middle_cache(void **state)
{
    (void)state;
    double each = steady(LINES_NEAR + 16, LINES_NEAR, LINES_MIDDLE);
    assert_true(each > INTERVAL - 0.5 && each < INTERVAL + 1);
}

static void loop_from_the_l2(void **state)
{
    (void)state;
    double each = steady(2 * LINES_MIDDLE, LINES_NEAR, LINES_MIDDLE);
    assert_true(each > FAR - 0.5 && each < FAR + 4);
}

/* Cycles a line of straight code that runs once on one SM and then on another. */
static void streamed(uint32_t prefetch_lines, double each[2])
{
    static struct fetch_gpu g;
    struct strata_gpu gpu = {0};
    struct fetch_sm sm[2];
    gpu.sm.fetch_line_bytes = 128;
    gpu.sm.fetch_interval_cycles = INTERVAL;
    gpu.sm.fetch_far_cycles = FAR;
    gpu.sm.fetch_stream_cycles = STREAM;
    gpu.sm.fetch_prefetch_bytes = prefetch_lines * 128;
    gpu.sm.fetch_ahead_lines = 8;
    fetch_gpu_init(&g, &gpu);
    uint64_t t = 1000, began = 0;
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(fetch_sm_init(&sm[i], &g, NULL), STRATA_OK);
        began = t;
        for (uint32_t line = 0; line < 400; line++) {
            t = fetch_line(&g, &sm[i], line, t) + ISSUE;
            fetch_publish(&g, &sm[i]);
        }
        each[i] = (double)(t - began) / 400;
        fetch_sm_release(&sm[i]);
    }
}

static void straight_code_beyond_what_a_launch_brings_in_comes_slowly(void **state)
{
    double each[2];
    (void)state;
    streamed(400, each);
    assert_true(each[0] > INTERVAL - 1 && each[0] < INTERVAL + 1);
    assert_true(each[1] > INTERVAL - 1 && each[1] < INTERVAL + 1);
    streamed(200, each);
    double first = (INTERVAL + STREAM) / 2.0, second = (INTERVAL + FAR) / 2.0;
    assert_true(each[0] > first - 2 && each[0] < first + 2);
    assert_true(each[1] > second - 2 && each[1] < second + 2);
}

/* Cycles a line of code that both partitions have half of, run side by side by SMs of these. */
static double streamed_by(const uint32_t *side, unsigned n)
{
    static struct fetch_gpu g;
    struct strata_gpu gpu = {.l2.partitions = 2, .l2.slices = 2, .dram.channels = 2};
    struct fetch_sm sm[2];
    uint64_t t[2] = {1000, 1000};
    uint32_t line[2] = {0, 0};
    gpu.sm.fetch_line_bytes = 128;
    gpu.sm.fetch_far_cycles = FAR;
    gpu.sm.fetch_stream_cycles = 120;
    gpu.sm.fetch_cold_cycles = 700;
    gpu.sm.fetch_ahead_lines = 8;
    gpu.l2.far_extra_cycles = 180;
    gpu.l2.n_home_bits = 1;
    gpu.l2.home_bits[0] = 12;
    fetch_gpu_init(&g, &gpu);
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(fetch_sm_init(&sm[i], &g, NULL), STRATA_OK);
        sm[i].side = side[i];
    }
    while (line[0] < 640) {
        unsigned i = n > 1 && t[1] < t[0];
        t[i] = fetch_line(&g, &sm[i], line[i]++, t[i]) + ISSUE;
        fetch_publish(&g, &sm[i]);
    }
    for (unsigned i = 0; i < n; i++)
        fetch_sm_release(&sm[i]);
    return (double)(t[0] - 1000) / 640;
}

/* Probe supply: 120 cycles a line on one SM and two, 106 on all, of which half are near. */
static void who_is_near_brings_code_in(void **state)
{
    static const uint32_t near[] = {0, 0}, both[] = {0, 1};
    (void)state;
    double alone = streamed_by(near, 1), two = streamed_by(near, 2), all = streamed_by(both, 2);
    assert_true(alone > 118 && alone < 124);
    assert_true(two > 118 && two < 124);
    assert_true(all > 103 && all < 109);
}

/* Lines brought in of a code of 40, of which 0, 20 and 30 are run. */
static uint32_t lines_brought_in(uint32_t prefetch_lines, uint32_t ahead_lines)
{
    static struct fetch_gpu g;
    struct strata_gpu gpu = {0};
    gpu.sm.fetch_line_bytes = 128;
    gpu.sm.fetch_prefetch_bytes = prefetch_lines * 128;
    gpu.sm.fetch_ahead_lines = ahead_lines;
    fetch_gpu_init(&g, &gpu);
    fetch_note(&g, 0), fetch_note(&g, 20), fetch_note(&g, 30);
    static struct sm_inst code[40];
    for (uint32_t line = 0; line < 40; line++)
        code[line].fetch_line = line;
    fetch_note_unrun_lines(&g, code, 40);
    return g.n_used;
}

static void code_that_nobody_runs_comes_in_too(void **state)
{
    (void)state;
    assert_int_equal(lines_brought_in(0, 4), 3);
    assert_int_equal(lines_brought_in(10, 0), 12);  /* the launch's beginning, 20 and 30 */
    assert_int_equal(lines_brought_in(1, 4), 15);   /* and four behind each */
    assert_int_equal(lines_brought_in(10, 12), 33); /* 0 to 12 and 20 to 39 */
    assert_int_equal(lines_brought_in(100, 4), 40);
}

/* What a launch brings in by itself, five and a half cycles a line from cycle 900 on. */
static void brought_in(struct fetch_gpu *g)
{
    struct strata_gpu gpu = {0};
    gpu.launch.launch_cycles = 900;
    gpu.sm.fetch_line_bytes = 128;
    gpu.sm.fetch_interval_cycles = INTERVAL;
    gpu.sm.fetch_miss_cycles = 300;
    gpu.sm.fetch_cold_cycles = 560;
    gpu.sm.fetch_ahead_lines = 8;
    gpu.sm.fetch_prefetch_bytes = 100 * 128;
    gpu.sm.fetch_first_cycles = 340;
    gpu.sm.fetch_early_cycles = 75;
    gpu.sm.fetch_early_line_cycles = 5.5;
    fetch_gpu_init(g, &gpu);
}

static void jumps_within_what_a_launch_brings_in(void **state)
{
    static struct fetch_gpu g;
    struct fetch_sm sm;
    (void)state;
    brought_in(&g);
    assert_int_equal(fetch_sm_init(&sm, &g, NULL), STRATA_OK);
    assert_int_equal(fetch_line(&g, &sm, 0, 1000), 1340);
    assert_int_equal(fetch_line(&g, &sm, 50, 2000), 2075);
    assert_int_equal(fetch_line(&g, &sm, 99, 3000), 3075);
    assert_int_equal(fetch_line(&g, &sm, 200, 4000), 4560);
    fetch_sm_release(&sm);
}

static void further_jumps_within_it_take_less(void **state)
{
    static struct fetch_gpu g;
    struct fetch_sm sm;
    (void)state;
    brought_in(&g);
    struct strata_gpu gpu = {.sm.fetch_early_next_cycles = 40};
    assert_int_equal(g.early_next, g.early); /* without control codes */
    fetch_gpu_controlled(&g, &gpu);
    assert_int_equal(fetch_sm_init(&sm, &g, NULL), STRATA_OK);
    assert_int_equal(fetch_line(&g, &sm, 0, 1000), 1340);
    assert_int_equal(fetch_line(&g, &sm, 50, 2000), 2075);
    assert_int_equal(fetch_line(&g, &sm, 80, 3000), 3040);
    fetch_sm_release(&sm);
}

/* An SM whose schedulers have four lines each. */
static void with_own_lines(struct fetch_gpu *g, struct fetch_sm *sm)
{
    struct strata_gpu gpu = gpu_that_fetches();
    gpu.sm.schedulers = 2;
    gpu.sm.fetch_own_bytes = 4 * 128;
    gpu.sm.fetch_jump_cycles = 10;
    gpu.sm.fetch_near_bytes = LINES_NEAR * 128;
    gpu.sm.fetch_middle_bytes = LINES_MIDDLE * 128;
    gpu.sm.fetch_middle_jump_cycles = 61;
    fetch_gpu_init(g, &gpu);
    assert_int_equal(fetch_sm_init(sm, g, NULL), STRATA_OK);
}

/* Cycles that the second of two rounds over n lines, `stride` apart, waits for each. */
static double hops(struct fetch_gpu *g, struct fetch_sm *sm, uint32_t n, uint32_t stride)
{
    uint64_t t = 100000, waited = 0;
    uint32_t from = UINT32_MAX;
    for (uint32_t i = 0; i < 2 * n; i++) {
        uint32_t line = i % n * stride;
        uint64_t there = fetch_next(g, sm, 0, from, line, t);
        waited += i < n ? 0 : there - t;
        t = there + 1000;
        from = line;
    }
    return (double)waited / n;
}

static void a_jump_takes_by_where_its_line_is(void **state)
{
    static struct fetch_gpu g;
    static const struct {
        uint32_t n, stride;
        double cycles;
    } at[] = {{4, 2, 0}, {8, 2, 10}, {3, 16, 0}, {6, 16, 61}, {20, 16, 300}};
    (void)state;
    for (unsigned i = 0; i < sizeof at / sizeof at[0]; i++) {
        struct fetch_sm sm;
        with_own_lines(&g, &sm);
        double each = hops(&g, &sm, at[i].n, at[i].stride);
        fetch_sm_release(&sm);
        assert_true(each == at[i].cycles);
    }
}

static void a_jump_does_not_wait_for_what_it_leaves_out(void **state)
{
    static struct fetch_gpu g;
    struct fetch_sm sm;
    (void)state;
    with_own_lines(&g, &sm);
    g.stream_interval = 200;
    assert_int_equal(fetch_next(&g, &sm, 0, UINT32_MAX, 0, 1000), 1560);
    assert_int_equal(fetch_next(&g, &sm, 0, 0, 8, 1570), 1570 + 560);
    assert_int_equal(fetch_next(&g, &sm, 1, 6, 7, 1570), 1560 + 7 * 200);
    fetch_sm_release(&sm);
}

static void lines_of_one_set_displace_each_other(void **state)
{
    static struct fetch_gpu g;
    struct fetch_sm sm;
    (void)state;
    with_own_lines(&g, &sm);
    fetch_sm_release(&sm);
    g.ways = 4;
    assert_int_equal(fetch_sm_init(&sm, &g, NULL), STRATA_OK);
    double each = hops(&g, &sm, 6, LINES_NEAR / 4);
    fetch_sm_release(&sm);
    assert_true(each > 10);
}

static void an_early_jump_waits_for_its_line(void **state)
{
    static struct fetch_gpu g;
    struct fetch_sm sm;
    (void)state;
    brought_in(&g);
    assert_int_equal(fetch_sm_init(&sm, &g, NULL), STRATA_OK);
    assert_int_equal(fetch_line(&g, &sm, 90, 950), 900 + 495);
    fetch_hold(&g, 40); /* the L2 has it from before */
    assert_int_equal(fetch_line(&g, &sm, 40, 960), 960 + 75);
    fetch_sm_release(&sm);
}

static void schedulers_begin_one_after_the_other(void **state)
{
    (void)state;
    static struct fetch_gpu g;
    struct strata_gpu gpu = gpu_that_fetches();
    struct fetch_sm sm;
    gpu.launch.schedulers_apart = 0.5;
    fetch_gpu_init(&g, &gpu);
    assert_int_equal(fetch_sm_init(&sm, &g, NULL), STRATA_OK);
    fetch_sm_begins(&sm, &gpu, 18);
    uint64_t first = fetch_next(&g, &sm, 0, UINT32_MAX, 0, 1000);
    for (uint32_t scheduler = 1; scheduler < 4; scheduler++)
        assert_int_equal(fetch_next(&g, &sm, scheduler, UINT32_MAX, 0, 1000),
                         first + 9 * scheduler);
    assert_int_equal(fetch_next(&g, &sm, 3, UINT32_MAX, 0, 5000), 5000); /* a later block */
    fetch_sm_release(&sm);
}

static void a_line_far_behind_is_as_never_fetched(void **state)
{
    static struct fetch_gpu g;
    struct fetch_sm sm;
    (void)state;
    brought_in(&g);
#ifdef M_PERTURB
    mallopt(M_PERTURB, 0x5a); /* memory that others have used */
#endif
    assert_int_equal(fetch_sm_init(&sm, &g, NULL), STRATA_OK);
    assert_int_equal(fetch_line(&g, &sm, 200, 1000), 1560);
    assert_int_equal(fetch_line(&g, &sm, FETCH_MAX_LINES - 1, 3000), 3560);
    assert_int_equal(fetch_line(&g, &sm, 5000, 6000), 6560);
    fetch_sm_release(&sm);
#ifdef M_PERTURB
    mallopt(M_PERTURB, 0);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loop_that_fits),
        cmocka_unit_test(loop_of_the_middle_cache),
        cmocka_unit_test(loop_from_the_l2),
        cmocka_unit_test(straight_code_beyond_what_a_launch_brings_in_comes_slowly),
        cmocka_unit_test(who_is_near_brings_code_in),
        cmocka_unit_test(jumps_within_what_a_launch_brings_in),
        cmocka_unit_test(further_jumps_within_it_take_less),
        cmocka_unit_test(a_jump_takes_by_where_its_line_is),
        cmocka_unit_test(a_jump_does_not_wait_for_what_it_leaves_out),
        cmocka_unit_test(lines_of_one_set_displace_each_other),
        cmocka_unit_test(code_that_nobody_runs_comes_in_too),
        cmocka_unit_test(an_early_jump_waits_for_its_line),
        cmocka_unit_test(schedulers_begin_one_after_the_other),
        cmocka_unit_test(a_line_far_behind_is_as_never_fetched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
