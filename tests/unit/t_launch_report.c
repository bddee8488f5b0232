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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_that_machine_code_lacks_are_not_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
