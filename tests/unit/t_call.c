/* t_call.c - a whole prediction in one call gives what the parts give, and can be stopped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <strata/call.h>
#include <strata/gpu.h>

static char trace[4096], gpus[4096];
static const char *const traces[] = {trace};

static struct strata_call small_call(void)
{
    return (struct strata_call){.trace = traces, .n_traces = 1, .gpu = "h200", .model = "coalesce"};
}

static int find_gpus(void **state)
{
    (void)state;
    const char *source = getenv("STRATA_SOURCE");
    if (!source)
        return -1;
    snprintf(trace, sizeof trace, "%s/tests/data/rod_lud.strata", source);
    snprintf(gpus, sizeof gpus, "%s/gpus", source);
    return strata_gpu_add_path(gpus, NULL);
}

static void a_call_gives_the_json_of_a_prediction(void **state)
{
    (void)state;
    struct strata_call call = small_call();
    char *json;
    size_t length;
    const char *const set[] = {"l1.ways=8"};
    call.set = set;
    call.n_set = 1;
    call.launch_count = 2;
    assert_int_equal(strata_call_predict(&call, &json, &length, NULL), STRATA_OK);
    assert_int_equal(strlen(json), length);
    assert_non_null(strstr(json, "\"schema\": \"strata.prediction/1\""));
    assert_non_null(strstr(json, "\"overrides\": [\"l1.ways=8\"]"));
    assert_non_null(strstr(json, "\"id\": 2"));
    assert_null(strstr(json, "\"id\": 3"));
    strata_call_free(json);
}

static void what_is_wrong_is_a_sentence_and_nothing_to_free(void **state)
{
    (void)state;
    static const char *const settings[] = {"l1.wayz=8", "nonsense"};
    struct strata_error err;
    char *json;
    size_t length;
    struct strata_call call = small_call();
    call.model = "no-such-model";
    assert_int_equal(strata_call_predict(&call, &json, &length, &err), STRATA_EUSAGE);
    assert_null(json);
    call = small_call();
    call.variant = "fast";
    assert_int_equal(strata_call_predict(&call, &json, &length, &err), STRATA_EUSAGE);
    call = small_call();
    call.gpu = NULL;
    assert_int_equal(strata_call_predict(&call, &json, &length, &err), STRATA_EUSAGE);
    call = small_call();
    call.n_traces = 0;
    assert_int_equal(strata_call_predict(&call, &json, &length, &err), STRATA_EUSAGE);
    call = small_call();
    call.set = settings;
    call.n_set = 1;
    assert_int_equal(strata_call_predict(&call, &json, &length, &err), STRATA_ECONFIG);
    assert_non_null(strstr(err.message, "l1.ways"));
    call.set = settings + 1;
    assert_int_equal(strata_call_predict(&call, &json, &length, &err), STRATA_EUSAGE);
}

static int32_t stop;

static void stop_after_two(void *context, uint64_t n_done, uint64_t n_launches)
{
    *(uint64_t *)context = n_done;
    assert_int_equal(n_launches, 6);
    stop = n_done == 2;
}

static void a_stopped_call_begins_no_more_launches(void **state)
{
    (void)state;
    uint64_t n_done = 0;
    struct strata_error err;
    char *json;
    size_t length;
    struct strata_call call = small_call();
    call.progress = stop_after_two;
    call.progress_context = &n_done;
    call.stop = &stop;
    assert_int_equal(strata_call_predict(&call, &json, &length, &err), STRATA_ELIMIT);
    assert_null(json);
    assert_int_equal(n_done, 2);
    assert_string_equal(err.message, "the prediction was stopped after 2 of 6 launches.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_gives_the_json_of_a_prediction),
        cmocka_unit_test(what_is_wrong_is_a_sentence_and_nothing_to_free),
        cmocka_unit_test(a_stopped_call_begins_no_more_launches),
    };
    return cmocka_run_group_tests(tests, find_gpus, NULL);
}
