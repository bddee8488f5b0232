/* GPU files: every type, every error with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <strata/gpu.h>

static struct strata_gpu gpu; /* large: kept off the stack */

static void the_h200_file_loads_with_its_sm_order(void **state)
{
    (void)state;
    struct strata_error err;
    assert_int_equal(strata_gpu_load("h200", &gpu, &err), STRATA_OK);
    assert_string_equal(gpu.name, "h200");
    assert_int_equal(gpu.sm.count, 132);
    assert_int_equal(gpu.launch.n_order, 132);
    assert_int_equal(gpu.launch.order[0], 124);
    assert_int_equal(gpu.launch.order[8], 0);
    assert_int_equal(gpu.l2.cache.size_bytes, 62914560);
    assert_string_equal(strata_gpu_source(&gpu, strata_gpu_find_key("sm.count")),
                        "device attribute, as the profiler lists it");
}

int main(void)
{
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/gpus", getenv("STRATA_SOURCE"));
    strata_gpu_add_path(folder, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_h200_file_loads_with_its_sm_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
