/* The report: words from outside stay words, and the data in the page is what went in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <strata/report.h>

#include "report/page.h"

#define KERNEL  "</script><script>alert(1)</script><!-- & \"k\" \\ '"
#define OPENING "<script type=\"application/json\" id=\"strata-data\">"

static const char counters[] = "program,trace,sm__cycles_elapsed.max,dram__sectors_read.sum\n"
                               "other,kernel-9.traceg,5,6\n"
                               "p<b>,kernel-1.traceg,200,4000\n";

static void add_launch(struct strata_prediction *p, const char *program, double cycles)
{
    struct strata_result r;
    const struct strata_launch launch = {.program = program,
                                         .trace = "kernel-1.traceg",
                                         .kernel = KERNEL,
                                         .id = 1,
                                         .grid = {2, 3, 4},
                                         .block = {32, 1, 1}};
    assert_int_equal(strata_result_init(&r, &launch, NULL), STRATA_OK);
    strata_result_set(&r, "sm__cycles_elapsed.max", cycles);
    strata_result_set(&r, "dram__sectors_read.sum", 5000);
    strata_result_set(&r, "strata__unknown", NAN);
    strata_result_detail(&r, "latency.dram_cycles", 412.5);
    assert_int_equal(strata_prediction_add_result(p, &r, NULL), STRATA_OK);
}

static void make_predictions(struct strata_predictions *set)
{
    *set = (struct strata_predictions){.item = calloc(1, sizeof *set->item), .n = 1, .cap = 1};
    assert_non_null(set->item);
    assert_int_equal(strata_prediction_init(set->item, "<i>h200</i>", "flow&co", NULL, 1, NULL),
                     STRATA_OK);
    add_launch(set->item, "unmeasured", 1);
    add_launch(set->item, "p<b>", 100);
}

static char *finish_page(struct strata_report *r, void (*warning)(const char *sentence))
{
    char *text;
    size_t length;
    assert_int_equal(strata_report_html(r, warning, &text, &length, NULL), STRATA_OK);
    assert_int_equal(strlen(text), length);
    strata_report_release(r);
    return text;
}

static void make_report(struct strata_report *r, bool with_measured)
{
    *r = (struct strata_report){.is_measured = with_measured};
    make_predictions(&r->predictions);
    assert_int_equal(strata_measured_parse(&r->measured, counters, strlen(counters), "c.csv", NULL),
                     STRATA_OK);
}

static char *make_page(bool with_measured, void (*warning)(const char *sentence))
{
    struct strata_report r;
    make_report(&r, with_measured);
    return finish_page(&r, warning);
}

/* As a browser finds it: from the opening tag to the first end of a script. */
static json_t *data_of(const char *page)
{
    const char *start = strstr(page, OPENING);
    assert_non_null(start);
    start += strlen(OPENING);
    const char *end = strstr(start, "</script");
    assert_non_null(end);
    assert_null(memmem(start, (size_t)(end - start), "<", 1));
    json_error_t problem;
    json_t *data = json_loadb(start, (size_t)(end - start), JSON_REJECT_DUPLICATES, &problem);
    if (!data)
        fail_msg("%s", problem.text);
    return data;
}

/* The value under `metric` in one row of "launches"; NULL if the metric has no column. */
static json_t *value_of(json_t *table, size_t launch, const char *metric)
{
    size_t i;
    json_t *name;
    json_t *row = json_array_get(json_object_get(table, "launches"), launch);
    json_array_foreach(json_object_get(table, "columns"), i, name)
    {
        if (!strcmp(json_string_value(name), metric))
            return json_array_get(json_object_get(row, "values"), i);
    }
    return NULL;
}

static const char *word(json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static void html_marks_become_entities(void **state)
{
    (void)state;
    struct strata_text t = {0};
    strata_report_put_html(&t, "a<b> & \"c\" 'd' \xc3\xa9");
    assert_string_equal(t.data, "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39; \xc3\xa9");
    strata_text_release(&t);
    strata_report_put_html(&t, "bad \xff byte");
    assert_string_equal(t.data, "bad \xef\xbf\xbd byte");
    strata_text_release(&t);
}

static void json_in_a_script_has_no_angle_bracket(void **state)
{
    (void)state;
    struct strata_text t = {0};
    strata_report_put_script_json(&t, "[\"</script><!--\"]", 17);
    assert_string_equal(t.data, "[\"\\u003c/script>\\u003c!--\"]");
    strata_text_release(&t);
}

static void the_page_is_whole_and_its_title_is_escaped(void **state)
{
    (void)state;
    char *page = make_page(false, NULL);
    assert_memory_equal(page, "<!doctype html>", 15);
    assert_non_null(strstr(page, "<title>Strata: flow&amp;co on &lt;i&gt;h200&lt;/i&gt;</title>"));
    assert_null(strstr(page, "@strata-"));
    assert_null(strstr(page, "alert(1)</script>"));
    assert_string_equal(page + strlen(page) - 8, "</html>\n");
    free(page);
}

static void nothing_is_fetched(void **state)
{
    (void)state;
    char *page = make_page(true, NULL);
    assert_non_null(strstr(page, "default-src 'none'"));
    assert_null(strstr(page, "src=\""));
    assert_null(strstr(page, "@import"));
    assert_null(strstr(page, "https:"));
    free(page);
}

static void the_data_comes_back_as_it_went_in(void **state)
{
    (void)state;
    char *page = make_page(false, NULL);
    json_t *data = data_of(page);
    assert_string_equal(word(data, "schema"), "strata.report/2");
    assert_null(json_object_get(data, "measured"));
    json_t *prediction = json_array_get(json_object_get(data, "predictions"), 0);
    assert_string_equal(word(prediction, "gpu"), "<i>h200</i>");
    json_t *launch = json_array_get(json_object_get(prediction, "launches"), 1);
    assert_string_equal(word(launch, "kernel"), KERNEL);
    assert_int_equal(json_integer_value(value_of(prediction, 1, "sm__cycles_elapsed.max")), 100);
    /* derived; and what is unknown is absent */
    assert_int_equal(json_integer_value(value_of(prediction, 1, "dram__bytes_read.sum")), 160000);
    assert_null(value_of(prediction, 1, "strata__unknown"));
    assert_true(json_real_value(json_object_get(json_object_get(launch, "detail"),
                                                "latency.dram_cycles")) == 412.5);
    json_t *definition =
        json_object_get(json_object_get(data, "metrics"), "sm__cycles_elapsed.max");
    assert_string_equal(word(definition, "unit"), "cycle");
    assert_null(json_object_get(json_object_get(data, "metrics"), "smsp__inst_executed.sum"));
    json_decref(data);
    free(page);
}

static void each_launch_points_at_its_measurement(void **state)
{
    (void)state;
    char *page = make_page(true, NULL);
    json_t *data = data_of(page);
    json_t *joined = json_array_get(json_object_get(data, "joined"), 0);
    assert_int_equal(json_array_size(joined), 2);
    assert_true(json_is_null(json_array_get(joined, 0)));
    assert_int_equal(json_integer_value(json_array_get(joined, 1)), 1);
    json_t *measured = json_object_get(data, "measured");
    assert_string_equal(word(json_array_get(json_object_get(measured, "launches"), 1), "program"),
                        "p<b>");
    assert_int_equal(json_integer_value(value_of(measured, 1, "sm__cycles_elapsed.max")), 200);
    assert_string_equal(word(json_object_get(data, "correlation"), "schema"),
                        "strata.correlation/1");
    json_decref(data);
    free(page);
}

static int n_warnings;
static void count_warning(const char *sentence)
{
    assert_non_null(strstr(sentence, "2 launches are predicted and 2 measured; the 1 in both"));
    n_warnings++;
}

static void launches_left_out_are_told(void **state)
{
    (void)state;
    n_warnings = 0;
    free(make_page(true, count_warning));
    assert_int_equal(n_warnings, 1);
}

static void a_value_only_one_launch_has_is_null_in_the_others(void **state)
{
    (void)state;
    struct strata_report r;
    make_report(&r, false);
    strata_result_set(&r.predictions.item[0].result[1], "smsp__inst_executed.sum", 7);
    char *page = finish_page(&r, NULL);
    json_t *data = data_of(page);
    json_t *prediction = json_array_get(json_object_get(data, "predictions"), 0);
    assert_true(json_is_null(value_of(prediction, 0, "smsp__inst_executed.sum")));
    assert_int_equal(json_integer_value(value_of(prediction, 1, "smsp__inst_executed.sum")), 7);
    json_decref(data);
    free(page);
}

static void only_predictions_for_the_measured_gpu_are_compared(void **state)
{
    (void)state;
    struct strata_report r;
    make_report(&r, true);
    r.measured_gpu = "another";
    char *page = finish_page(&r, NULL);
    json_t *data = data_of(page);
    assert_null(json_object_get(data, "joined"));
    assert_null(json_object_get(data, "correlation"));
    json_decref(data);
    free(page);
    make_report(&r, true);
    r.measured_gpu = "<i>h200</i>";
    page = finish_page(&r, NULL);
    data = data_of(page);
    assert_non_null(json_object_get(data, "correlation"));
    json_decref(data);
    free(page);
}

static void results_of_other_kinds_are_kept_as_they_are(void **state)
{
    (void)state;
    static const char reuse[] =
        " {\"schema\": \"strata.reuse/1\", \"gpu\": \"</script>\", \"launches\": []}";
    static const char unknown[] = "{\"schema\": \"strata.nothing/1\"}";
    struct strata_report r = {0};
    struct strata_error err;
    assert_int_equal(strata_report_parse(&r, reuse, strlen(reuse), "r.json", NULL), STRATA_OK);
    assert_int_equal(r.n_documents, 1);
    assert_string_equal(r.document[0].gpu, "</script>");
    assert_int_equal(strata_report_parse(&r, unknown, strlen(unknown), "u.json", &err),
                     STRATA_EFORMAT);
    assert_int_equal(strata_report_parse(&r, "{", 1, "v.json", &err), STRATA_EFORMAT);
    char *page = finish_page(&r, NULL);
    json_t *data = data_of(page);
    json_t *document = json_array_get(json_object_get(data, "documents"), 0);
    assert_string_equal(word(document, "file"), "r.json");
    assert_string_equal(word(json_object_get(document, "content"), "gpu"), "</script>");
    json_decref(data);
    free(page);
}

static void a_gpu_comes_with_all_its_keys_and_what_was_changed(void **state)
{
    (void)state;
    static struct strata_gpu gpu;
    struct strata_report r = {0};
    char changed[] = "l1.ways=8", *list[] = {changed};
    strata_gpu_init(&gpu);
    assert_int_equal(strata_gpu_set(&gpu, "l1.ways", "8", NULL), STRATA_OK);
    assert_int_equal(strata_report_add_gpu(&r, &gpu, "mine", list, 1, NULL), STRATA_OK);
    char *page = finish_page(&r, NULL);
    json_t *data = data_of(page), *key;
    json_t *shown = json_array_get(json_object_get(data, "gpus"), 0);
    assert_string_equal(word(shown, "gpu"), "mine");
    assert_int_equal(json_array_size(json_object_get(shown, "keys")), strata_gpu_n_keys());
    size_t i, found = 0;
    json_array_foreach(json_object_get(shown, "keys"), i, key)
    {
        if (strcmp(json_string_value(json_array_get(key, 0)), "l1.ways"))
            continue;
        found++;
        assert_string_equal(json_string_value(json_array_get(key, 1)), "8");
        assert_true(json_is_true(json_array_get(key, 4)));
        assert_int_equal(json_integer_value(json_array_get(key, 5)), 8);
    }
    assert_int_equal(found, 1);
    json_decref(data);
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(html_marks_become_entities),
        cmocka_unit_test(json_in_a_script_has_no_angle_bracket),
        cmocka_unit_test(the_page_is_whole_and_its_title_is_escaped),
        cmocka_unit_test(nothing_is_fetched),
        cmocka_unit_test(the_data_comes_back_as_it_went_in),
        cmocka_unit_test(each_launch_points_at_its_measurement),
        cmocka_unit_test(launches_left_out_are_told),
        cmocka_unit_test(a_value_only_one_launch_has_is_null_in_the_others),
        cmocka_unit_test(only_predictions_for_the_measured_gpu_are_compared),
        cmocka_unit_test(results_of_other_kinds_are_kept_as_they_are),
        cmocka_unit_test(a_gpu_comes_with_all_its_keys_and_what_was_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
