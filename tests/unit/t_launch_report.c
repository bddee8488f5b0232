/* What the timed models tell of a launch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "sm/launch_report.h"

static double value_of(const struct strata_result *r, const char *metric)
{
    double value = -1;
    assert_true(strata_result_get(r, metric, &value));
    return value;
}

/* Steps of unrolled loops stand in a trace of PTX; a card has one for all rounds. */
static void instructions_that_machine_code_lacks_are_not_counted(void **state)
{
    (void)state;
    struct strata_gpu gpu;
    uint64_t stalls[SM_N_STALLS] = {0};
    struct sm_times times = {
        .elapsed_cycles = 100, .active_cycles = 50, .n_sms = 1, .stall_cycles = stalls};
    struct launch_counters c = {.instructions = 130, .left_out = 30};
    struct strata_result r;
    struct strata_launch launch = {.kernel = "k"};
    assert_int_equal(strata_result_init(&r, &launch, NULL), STRATA_OK);
    memset(&gpu, 0, sizeof gpu);
    gpu.sm.schedulers = 4;
    gpu.sm.clock_mhz = 1000;
    gpu.sm.max_warps = 64;
    sm_report_times(&gpu, &times, &c, &r);
    assert_true(value_of(&r, "smsp__inst_executed.sum") == 100);
    assert_true(value_of(&r, "smsp__issue_active.avg.pct_of_peak_sustained_active") == 50);
    assert_int_equal(c.instructions, 130);
    strata_result_release(&r);
}

/* Blocks that any lane names count once, however often and by whomever they are. */
static void constants_come_in_blocks_once_for_each_cluster_that_runs_the_launch(void **state)
{
    (void)state;
    struct strata_gpu gpu = {.l2.partitions = 2, .launch.code_readers = 8};
    struct constants_used c = {{0}}, more = {{0}};
    struct strata_winst same = {.mask = UINT32_MAX, .addr_kind = STRATA_ADDR_STRIDE, .base = 260},
                        apart = {
                            .mask = 7, .addr_kind = STRATA_ADDR_STRIDE, .stride = 256, .base = 8};
    struct other_sectors none = {0}, one = {.dram = 80}, all = {.dram = 80};
    constants_note(&c, &gpu, &apart);
    gpu.sm.const_fetch_bytes = 256;
    sm_add_constants(&gpu, &c, 1, 32, &one);
    assert_true(one.dram == 80 && one.l2 == 0);
    constants_note(&c, &gpu, &same);
    constants_note(&more, &gpu, &apart);
    constants_merge(&c, &more);
    sm_add_constants(&gpu, &c, 1, 32, &one);
    sm_add_constants(&gpu, &c, 132, 32, &all);
    sm_add_constants(&gpu, &c, 132, 32, &none); /* the L2 has them, as it has the code */
    assert_true(one.dram == 80 + 24 && one.l2 == 2 * 24 && one.fabric == 24 && one.l2_hits == 0);
    assert_true(all.dram == 80 + 24 && all.l2 == 9 * 24 && all.l2_hits == 7 * 24);
    assert_true(none.dram == 0 && none.l2 == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_that_machine_code_lacks_are_not_counted),
        cmocka_unit_test(constants_come_in_blocks_once_for_each_cluster_that_runs_the_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
