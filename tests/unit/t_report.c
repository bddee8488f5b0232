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

static char *make_page(bool with_measured, void (*warning)(const char *sentence))
{
    struct strata_predictions set;
    struct strata_measured measured = {0};
    char *text;
    size_t length;
    make_predictions(&set);
    assert_int_equal(strata_measured_parse(&measured, counters, strlen(counters), "c.csv", NULL),
                     STRATA_OK);
    assert_int_equal(
        strata_report_html(&set, with_measured ? &measured : NULL, warning, &text, &length, NULL),
        STRATA_OK);
    assert_int_equal(strlen(text), length);
    strata_measured_release(&measured);
    strata_predictions_release(&set);
    return text;
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
    assert_string_equal(word(data, "schema"), "strata.report/1");
    assert_null(json_object_get(data, "measured"));
    json_t *prediction = json_array_get(json_object_get(data, "predictions"), 0);
    assert_string_equal(word(prediction, "schema"), STRATA_PREDICTION_SCHEMA);
    assert_string_equal(word(prediction, "gpu"), "<i>h200</i>");
    json_t *launch = json_array_get(json_object_get(prediction, "launches"), 1);
    assert_string_equal(word(launch, "kernel"), KERNEL);
    json_t *metrics = json_object_get(launch, "metrics");
    assert_int_equal(json_integer_value(json_object_get(metrics, "sm__cycles_elapsed.max")), 100);
    /* derived; and what is unknown is absent */
    assert_int_equal(json_integer_value(json_object_get(metrics, "dram__bytes_read.sum")), 160000);
    assert_null(json_object_get(metrics, "strata__unknown"));
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
    json_t *measured =
        json_array_get(json_object_get(json_object_get(data, "measured"), "launches"), 1);
    assert_string_equal(word(measured, "program"), "p<b>");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(measured, "metrics"),
                                                        "sm__cycles_elapsed.max")),
                     200);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
