/* Predictions: JSON and CSV come back as they were written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <strata/prediction.h>

static void make_prediction(struct strata_prediction *p)
{
    struct strata_result r;
    const struct strata_launch launch = {.program = "prog",
                                         .trace = "kernel-1.traceg",
                                         .kernel = "_Z1kPf",
                                         .id = 7,
                                         .grid = {2, 3, 4},
                                         .block = {32, 1, 1}};
    assert_int_equal(strata_prediction_init(p, "h200", "flow", "fast", 9, NULL), STRATA_OK);
    assert_int_equal(strata_prediction_add_override(p, "l1.size=96KiB", NULL), STRATA_OK);
    assert_int_equal(strata_result_init(&r, &launch, NULL), STRATA_OK);
    strata_result_set(&r, "smsp__inst_executed.sum", 2390016);
    strata_result_set(&r, "strata__share", 0.25);
    strata_result_set(&r, "strata__unknown", NAN);
    strata_result_detail(&r, "miss_kinds.compulsory", 4);
    strata_result_detail(&r, "miss_kinds.capacity", 0.5);
    strata_result_detail_text(&r, "bound", "dram");
    strata_result_detail(&r, "a.b", 1);
    strata_result_detail(&r, "a", 2);
    strata_result_warn(&r, "the trace was cut");
    assert_int_equal(strata_prediction_add_result(p, &r, NULL), STRATA_OK);
}

static void json_is_the_contract_to_the_letter(void **state)
{
    (void)state;
    struct strata_prediction p;
    char *text;
    size_t length;
    make_prediction(&p);
    assert_int_equal(strata_prediction_print(&p, STRATA_FORMAT_JSON, &text, &length, NULL),
                     STRATA_OK);
    assert_string_equal(
        text, "{\"schema\": \"strata.prediction/1\", \"tool\": \"strata " STRATA_VERSION
              "\", \"gpu\": \"h200\", \"model\": \"flow\", \"variant\": \"fast\", \"seed\": 9, "
              "\"overrides\": "
              "[\"l1.size=96KiB\"],\n"
              " \"launches\": [{\"program\": \"prog\", \"trace\": \"kernel-1.traceg\", \"id\": 7, "
              "\"kernel\": \"_Z1kPf\",\n"
              "   \"grid\": [2, 3, 4], \"block\": [32, 1, 1],\n"
              "   \"metrics\": {\"smsp__inst_executed.sum\": 2390016, \"strata__share\": 0.25},\n"
              "   \"detail\": {\"miss_kinds\": {\"compulsory\": 4, \"capacity\": 0.5}, \"bound\": "
              "\"dram\", "
              "\"a\": {\"b\": 1, \"value\": 2}},\n"
              "   \"warnings\": [\"the trace was cut\"]}]}\n");
    free(text);
    strata_prediction_release(&p);
}

static void json_read_back_prints_the_same(void **state)
{
    (void)state;
    struct strata_prediction p;
    struct strata_predictions set = {0};
    char *once, *twice;
    size_t length, length2;
    make_prediction(&p);
    assert_int_equal(strata_prediction_print(&p, STRATA_FORMAT_JSON, &once, &length, NULL),
                     STRATA_OK);
    assert_int_equal(strata_predictions_parse(&set, once, length, "x.json", NULL), STRATA_OK);
    assert_int_equal(set.n, 1);
    assert_int_equal(
        strata_prediction_print(&set.item[0], STRATA_FORMAT_JSON, &twice, &length2, NULL),
        STRATA_OK);
    assert_string_equal(once, twice);
    free(once);
    free(twice);
    strata_predictions_release(&set);
    strata_prediction_release(&p);
}

static void csv_has_one_row_a_metric_and_reads_back(void **state)
{
    (void)state;
    struct strata_prediction p;
    struct strata_predictions set = {0};
    char *text;
    size_t length;
    double v;
    make_prediction(&p);
    assert_int_equal(strata_prediction_print(&p, STRATA_FORMAT_CSV, &text, &length, NULL),
                     STRATA_OK);
    assert_string_equal(
        text, "program,trace,id,kernel,metric,unit,value,model,gpu\n"
              "prog,kernel-1.traceg,7,_Z1kPf,smsp__inst_executed.sum,inst,2390016,flow:fast,h200 "
              "l1.size=96KiB\n"
              "prog,kernel-1.traceg,7,_Z1kPf,strata__share,,0.25,flow:fast,h200 l1.size=96KiB\n");
    assert_int_equal(strata_predictions_parse(&set, text, length, "x.csv", NULL), STRATA_OK);
    assert_int_equal(set.n, 1);
    assert_string_equal(set.item[0].model, "flow:fast");
    assert_int_equal(set.item[0].n_results, 1);
    assert_int_equal(set.item[0].result[0].id, 7);
    assert_true(strata_result_get(&set.item[0].result[0], "strata__share", &v) && v == 0.25);
    free(text);
    strata_predictions_release(&set);
    strata_prediction_release(&p);
}

static void rows_of_two_models_in_one_csv_are_two_predictions(void **state)
{
    (void)state;
    static const char text[] =
        "metric,value,program,trace,model,gpu\n"
        "m,1,p,a,flow,h200\nm,2,p,a,reuse,h200\nn,3,p,a,flow,h200\nm,4,p,b,flow,h200\n";
    struct strata_predictions set = {0};
    assert_int_equal(strata_predictions_parse(&set, text, sizeof text - 1, "x.csv", NULL),
                     STRATA_OK);
    assert_int_equal(set.n, 2);
    assert_int_equal(set.item[0].n_results, 2);
    assert_int_equal(set.item[0].result[0].n_counters, 2);
    assert_int_equal(set.item[1].n_results, 1);
    strata_predictions_release(&set);
}

static void expect_refusal(const char *text, strata_status status, uint32_t line, const char *part)
{
    struct strata_predictions set = {0};
    struct strata_error err;
    assert_int_equal(strata_predictions_parse(&set, text, strlen(text), "x", &err), status);
    assert_int_equal(err.line, line);
    if (!strstr(err.message, part))
        fail_msg("\"%s\" does not tell of \"%s\"", err.message, part);
    strata_predictions_release(&set);
}

static void bad_predictions_are_refused_with_the_reason(void **state)
{
    (void)state;
    expect_refusal("", STRATA_EFORMAT, 0, "empty");
    expect_refusal("{\"schema\": ", STRATA_EFORMAT, 1, "not complete JSON");
    expect_refusal("{}", STRATA_EFORMAT, 0, "schema is \"\"");
    expect_refusal("[1]", STRATA_EFORMAT, 0, "schema");
    expect_refusal("{\"schema\": \"strata.prediction/2\"}", STRATA_EUNSUPPORTED, 0,
                   "strata.prediction/2");
    expect_refusal("{\"schema\": \"strata.prediction/1\"}", STRATA_EFORMAT, 0, "launches");
    expect_refusal("{\"schema\": \"strata.prediction/1\", \"launches\": [3]}", STRATA_EFORMAT, 0,
                   "launches[0]");
    expect_refusal(
        "{\"schema\": \"strata.prediction/1\", \"launches\": [{\"metrics\": {\"a\": \"b\"}}]}",
        STRATA_EFORMAT, 0, "\"a\" of launches[0]");
    expect_refusal("{\"schema\": \"strata.prediction/1\", \"launches\": [{\"grid\": [1, 2], "
                   "\"metrics\": {}}]}",
                   STRATA_EFORMAT, 0, "\"grid\"");
    expect_refusal("program,trace,metric\n", STRATA_EFORMAT, 1, "\"value\"");
    expect_refusal("program,trace,metric,value\np,t,m,one\n", STRATA_EFORMAT, 2, "\"one\"");
    expect_refusal("program,trace,metric,value\np,t,m,1\np,t,m,2\n", STRATA_EFORMAT, 3, "twice");
    expect_refusal("program,trace,id,metric,value\np,t,x,m,1\n", STRATA_EFORMAT, 2, "id \"x\"");
}

static void null_and_empty_values_are_unknown(void **state)
{
    (void)state;
    static const char json[] = "{\"schema\": \"strata.prediction/1\", \"launches\": [{\"metrics\": "
                               "{\"a\": null, \"b\": 0}}]}";
    static const char csv[] = "program,trace,metric,value\np,t,a,\np,t,b,0\n";
    struct strata_predictions set = {0};
    assert_int_equal(strata_predictions_parse(&set, json, sizeof json - 1, "x", NULL), STRATA_OK);
    assert_int_equal(strata_predictions_parse(&set, csv, sizeof csv - 1, "x", NULL), STRATA_OK);
    for (size_t i = 0; i < 2; i++) {
        assert_false(strata_result_get(&set.item[i].result[0], "a", NULL));
        assert_true(strata_result_get(&set.item[i].result[0], "b", NULL));
    }
    strata_predictions_release(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_is_the_contract_to_the_letter),
        cmocka_unit_test(json_read_back_prints_the_same),
        cmocka_unit_test(csv_has_one_row_a_metric_and_reads_back),
        cmocka_unit_test(rows_of_two_models_in_one_csv_are_two_predictions),
        cmocka_unit_test(bad_predictions_are_refused_with_the_reason),
        cmocka_unit_test(null_and_empty_values_are_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
