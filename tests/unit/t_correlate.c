/* Comparison: joins, errors and correlations against values worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <strata/correlate.h>

static void assert_close(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-12 * fmax(1, fabs(expected))))
        fail_msg("%.17g is not %.17g", value, expected);
}

struct fixture {
    struct strata_measured measured;
    struct strata_predictions predictions;
    struct strata_correlation c;
    struct strata_error err;
};

static strata_status try_compare(struct fixture *f, const char *measured, const char *predicted,
                                 const struct strata_correlate_options *opt)
{
    static const struct strata_correlate_options all = {0};
    memset(f, 0, sizeof *f);
    assert_int_equal(
        strata_measured_parse(&f->measured, measured, strlen(measured), "m.csv", &f->err),
        STRATA_OK);
    assert_int_equal(
        strata_predictions_parse(&f->predictions, predicted, strlen(predicted), "p", &f->err),
        STRATA_OK);
    return strata_correlate(&f->measured, &f->predictions, opt ? opt : &all, &f->c, &f->err);
}

static void release(struct fixture *f)
{
    strata_correlation_release(&f->c);
    strata_measured_release(&f->measured);
    strata_predictions_release(&f->predictions);
}

static void compare(struct fixture *f, const char *measured, const char *predicted,
                    const struct strata_correlate_options *opt)
{
    if (try_compare(f, measured, predicted, opt) != STRATA_OK)
        fail_msg("%s", f->err.message);
}

static const struct strata_metric_error *metric(const struct fixture *f, size_t model,
                                                const char *name)
{
    const struct strata_metric_error *e = strata_model_errors_find(&f->c.model[model], name);
    if (!e)
        fail_msg("%s was not compared", name);
    return e;
}

static const char four_measured[] =
    "program,trace,sm__cycles_elapsed.max,sm__warps_active.avg.pct_of_peak_sustained_active\n"
    "p,a.traceg,10,50\np,b.traceg,20,60\np,c.traceg,40,70\np,d.traceg,80,80\n";

/* Errors +10, -10, +50 and 0 %: mean 17.5, median 10, bias 12.5. */
static const char four_predicted[] =
    "program,trace,metric,value,model,gpu\np,a,sm__cycles_elapsed.max,11,m,g\np,b,sm__cycles_"
    "elapsed.max,18,m,g\n"
    "p,c,sm__cycles_elapsed.max,60,m,g\np,d,sm__cycles_elapsed.max,80,m,g\n"
    "p,a,sm__warps_active.avg.pct_of_peak_sustained_active,51,m,g\n"
    "p,b,sm__warps_active.avg.pct_of_peak_sustained_active,58,m,g\n";

static void errors_are_those_worked_out_by_hand(void **state)
{
    (void)state;
    struct fixture f;
    compare(&f, four_measured, four_predicted, NULL);
    const struct strata_metric_error *e = metric(&f, 0, "sm__cycles_elapsed.max");
    assert_int_equal(e->n, 4);
    assert_int_equal(e->n_exact, 1);
    assert_int_equal(e->n_relative, 4);
    assert_false(e->in_points);
    assert_close(e->mean_absolute, (1 + 2 + 20 + 0) / 4.0);
    assert_close(e->median_absolute, 1.5);
    assert_close(e->worst_absolute, 20);
    assert_close(e->mean_relative_pct, 17.5);
    assert_close(e->median_relative_pct, 10);
    assert_close(e->worst_relative_pct, 50);
    assert_close(e->bias, 12.5);
    release(&f);
}

static void correlations_are_those_worked_out_by_hand(void **state)
{
    (void)state;
    struct fixture f;
    /* x = 1, 2, 4 and y = 2, 4, 8: 1. x = 1, 2, 3 and y = 1, 3, 2: covariance 1/2, variances 1:
     * 1/2. */
    compare(&f, "program,trace,strata__a,strata__b,strata__flat\np,a,2,1,5\np,b,4,3,5\np,c,8,2,5\n",
            "program,trace,metric,value\np,a,strata__a,1\np,b,strata__a,2\np,c,strata__a,4\n"
            "p,a,strata__b,1\np,b,strata__b,2\np,c,strata__b,3\np,a,strata__flat,1\np,b,strata__"
            "flat,2\n"
            "p,c,strata__flat,3\n",
            NULL);
    assert_close(metric(&f, 0, "strata__a")->pearson, 1);
    assert_close(metric(&f, 0, "strata__a")->log_pearson, 1);
    assert_close(metric(&f, 0, "strata__b")->pearson, 0.5);
    /* logs: x = 0, ln 2, ln 3; y = 0, ln 3, ln 2 */
    double l2 = log(2), l3 = log(3), mean = (l2 + l3) / 3;
    double cov = mean * mean + 2 * (l2 - mean) * (l3 - mean),
           var = mean * mean + (l2 - mean) * (l2 - mean) + (l3 - mean) * (l3 - mean);
    assert_close(metric(&f, 0, "strata__b")->log_pearson, cov / var);
    assert_true(isnan(metric(&f, 0, "strata__flat")->pearson)); /* a constant has no correlation */
    release(&f);
}

static void percentages_are_compared_in_points(void **state)
{
    (void)state;
    struct fixture f;
    compare(&f, four_measured, four_predicted, NULL);
    const struct strata_metric_error *e =
        metric(&f, 0, "sm__warps_active.avg.pct_of_peak_sustained_active");
    assert_true(e->in_points);
    assert_int_equal(e->n, 2); /* c and d are unknown, not 0 */
    assert_close(strata_metric_error_mean(e), 1.5);
    assert_close(strata_metric_error_median(e), 1.5);
    assert_close(e->bias, -0.5);
    assert_true(isnan(e->mean_relative_pct));
    release(&f);
}

static void a_measured_zero_has_no_relative_error_unless_it_is_met(void **state)
{
    (void)state;
    struct fixture f;
    compare(&f, "program,trace,strata__x\np,a,0\np,b,0\np,c,10\n",
            "program,trace,metric,value\np,a,strata__x,0\np,b,strata__x,7\np,c,strata__x,11\n",
            NULL);
    const struct strata_metric_error *e = metric(&f, 0, "strata__x");
    assert_int_equal(e->n, 3);
    assert_int_equal(e->n_relative, 2);
    assert_close(e->mean_relative_pct, 5);
    assert_close(e->mean_absolute, 8 / 3.0);
    /* the one without a relative error is the worst */
    assert_int_equal(e->n_worst, 2);
    assert_int_equal(e->pair[e->worst[0]].measured_launch, 1);
    release(&f);
}

static void the_worst_five_come_first_and_exact_ones_never(void **state)
{
    (void)state;
    struct fixture f;
    compare(
        &f,
        "program,trace,strata__x\np,a,100\np,b,100\np,c,100\np,d,100\np,e,100\np,f,100\np,g,100\n",
        "program,trace,metric,value\np,a,strata__x,101\np,b,strata__x,100\np,c,strata__x,90\np,d,"
        "strata__x,130\n"
        "p,e,strata__x,98\np,f,strata__x,103\np,g,strata__x,104\n",
        NULL);
    const struct strata_metric_error *e = metric(&f, 0, "strata__x");
    static const size_t order[] = {3, 2, 6, 5, 4};
    assert_int_equal(e->n_worst, 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(e->pair[e->worst[i]].measured_launch, order[i]);
    release(&f);
}

static void launches_below_the_threshold_are_left_out(void **state)
{
    (void)state;
    static const char measured[] =
        "program,trace,dram__sectors_read.sum\np,a,1000\np,b,1001\np,c,5000\n";
    static const char predicted[] =
        "program,trace,metric,value\np,a,dram__sectors_read.sum,0\n"
        "p,b,dram__sectors_read.sum,1001\np,c,dram__sectors_read.sum,4000\n";
    static const struct strata_minimum minimum = {"dram__sectors_read.sum", 2000};
    static const struct strata_correlate_options opt = {.minimum = &minimum, .n_minimums = 1};
    struct fixture f;
    compare(&f, measured, predicted, NULL);
    assert_int_equal(metric(&f, 0, "dram__sectors_read.sum")->n, 2);
    assert_int_equal(metric(&f, 0, "dram__sectors_read.sum")->n_below, 1);
    assert_close(metric(&f, 0, "dram__sectors_read.sum")->mean_relative_pct, 10);
    release(&f);
    compare(&f, measured, predicted, &opt);
    assert_close(metric(&f, 0, "dram__sectors_read.sum")->mean_relative_pct, 20);
    release(&f);
}

static void hit_rates_are_made_on_both_sides(void **state)
{
    (void)state;
    struct fixture f;
    compare(&f,
            "program,trace,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,"
            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum,lts__t_sectors_srcunit_tex_"
            "op_read.sum,"
            "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum,lts__t_sectors_srcunit_tex_op_read_"
            "lookup_miss.sum\n"
            "p,a,200,50,100,50,100\n",
            "program,trace,metric,value\np,a,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,200\n"
            "p,a,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum,140\n"
            "p,a,lts__t_sector_srcunit_tex_op_read_hit_rate.pct,40\n",
            NULL);
    const struct strata_metric_error *e =
        metric(&f, 0, "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct");
    assert_close(e->pair[0].measured, 25);
    assert_close(e->pair[0].predicted, 30);
    assert_close(metric(&f, 0, "lts__t_sector_srcunit_tex_op_read_hit_rate.pct")->mean_absolute,
                 10);
    release(&f);
}

static void a_hit_rate_of_nothing_is_unknown(void **state)
{
    (void)state;
    struct strata_result r;
    static const struct strata_launch launch = {.program = "p"};
    assert_int_equal(strata_result_init(&r, &launch, NULL), STRATA_OK);
    strata_result_set(&r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 0);
    strata_result_set(&r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", 0);
    strata_derive_metrics(&r);
    assert_false(
        strata_result_get(&r, "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", NULL));
    strata_result_release(&r);
}

#define NCU_HEADER "ID,Process Name,Kernel Name,Block Size,Grid Size,smsp__inst_executed.sum\n"
#define LAUNCH(kernel, gx, value)                                                                  \
    "{\"program\": \"p\", \"trace\": \"" kernel "-" #gx "\", \"kernel\": \"" kernel                \
    "\", \"grid\": [" #gx                                                                          \
    ", 1, 1], \"block\": [32, 1, 1], \"metrics\": {\"smsp__inst_executed.sum\": " #value "}}"
#define JSON(launches)                                                                             \
    "{\"schema\": \"strata.prediction/1\", \"model\": \"m\", \"gpu\": \"g\", \"seed\": 1, "        \
    "\"launches\": [" launches "]}"

static void launches_of_a_profiler_are_joined_by_kernel_and_shape(void **state)
{
    (void)state;
    struct fixture f;
    compare(&f,
            NCU_HEADER "0,app,f(int),\"(32, 1, 1)\",\"(4, 1, 1)\",10\n1,app,f(int),\"(32, 1, "
                       "1)\",\"(8, 1, 1)\",20\n"
                       "2,app,g(int),\"(32, 1, 1)\",\"(8, 1, 1)\",30\n",
            JSON(LAUNCH("_Z1fi", 8, 20) ", " LAUNCH("_Z1fi", 4, 10) ", " LAUNCH("_Z1hi", 4, 99)),
            NULL);
    assert_int_equal(f.c.model[0].n_joined, 2);
    assert_int_equal(metric(&f, 0, "smsp__inst_executed.sum")->n_exact, 2);
    assert_int_equal(f.c.n_warnings, 1); /* not all of them are in both */
    release(&f);
}

static void equal_launches_are_paired_in_order(void **state)
{
    (void)state;
    struct fixture f;
    compare(&f,
            NCU_HEADER "0,app,f(int),\"(32, 1, 1)\",\"(4, 1, 1)\",10\n1,app,f(int),\"(32, 1, "
                       "1)\",\"(4, 1, 1)\",20\n",
            JSON(LAUNCH("_Z1fi", 4, 10) ", " LAUNCH("_Z1fi", 4, 20)), NULL);
    assert_int_equal(metric(&f, 0, "smsp__inst_executed.sum")->n_exact, 2);
    release(&f);
}

static void a_name_that_fits_two_launches_is_refused_with_its_row(void **state)
{
    (void)state;
    struct fixture f;
    assert_int_equal(try_compare(&f, NCU_HEADER "0,app,f(int),\"(32, 1, 1)\",\"(4, 1, 1)\",10\n",
                                 JSON(LAUNCH("_Z1fi", 4, 10) ", " LAUNCH("_Z1fi", 4, 20)), NULL),
                     STRATA_EFORMAT);
    assert_int_equal(f.err.line, 2);
    assert_non_null(strstr(f.err.message, "1 measured and 2 predicted launches"));
    release(&f);
}

static void a_launch_predicted_twice_is_refused(void **state)
{
    (void)state;
    struct fixture f;
    assert_int_equal(try_compare(&f, "program,trace,smsp__inst_executed.sum\np,_Z1fi-4,10\n",
                                 JSON(LAUNCH("_Z1fi", 4, 10) ", " LAUNCH("_Z1fi", 4, 20)), NULL),
                     STRATA_EFORMAT);
    assert_non_null(strstr(f.err.message, "predicted twice"));
    release(&f);
}

static void nothing_in_common_is_refused_with_both_names(void **state)
{
    (void)state;
    struct fixture f;
    assert_int_equal(try_compare(&f, "program,trace,smsp__inst_executed.sum\nq,kernel-1,10\n",
                                 JSON(LAUNCH("_Z1fi", 4, 10)), NULL),
                     STRATA_EFORMAT);
    assert_non_null(strstr(f.err.message, "q/kernel-1"));
    assert_non_null(strstr(f.err.message, "p/_Z1fi-4"));
    release(&f);
}

static void a_chosen_metric_that_nobody_has_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"dram__sectors_read.sum"};
    static const struct strata_correlate_options opt = {.metric = names, .n_metrics = 1};
    struct fixture f;
    assert_int_equal(try_compare(&f, four_measured, four_predicted, &opt), STRATA_EFORMAT);
    assert_non_null(strstr(f.err.message, "was not measured"));
    release(&f);
}

static void models_stand_side_by_side_and_parts_of_one_model_are_one(void **state)
{
    (void)state;
    struct fixture f;
    compare(&f, four_measured,
            "program,trace,metric,value,model,gpu\np,a,sm__cycles_elapsed.max,11,m,g\np,a,sm__"
            "cycles_elapsed.max,12,m,h\n"
            "p,b,sm__cycles_elapsed.max,18,m,g\n",
            NULL);
    assert_int_equal(f.c.n_models, 2);
    assert_string_equal(f.c.model[0].label, "m on g");
    assert_string_equal(f.c.model[1].label, "m on h");
    assert_int_equal(f.c.model[0].n_joined, 2);
    static const char more[] =
        "program,trace,metric,value,model,gpu\np,c,sm__cycles_elapsed.max,40,m,g\n";
    strata_correlation_release(&f.c);
    assert_int_equal(strata_predictions_parse(&f.predictions, more, sizeof more - 1, "q", NULL),
                     STRATA_OK);
    static const struct strata_correlate_options all = {0};
    assert_int_equal(strata_correlate(&f.measured, &f.predictions, &all, &f.c, &f.err), STRATA_OK);
    assert_int_equal(f.c.n_models, 2);
    assert_int_equal(f.c.model[0].n_joined, 3);
    release(&f);
}

static void explaining_names_the_level_where_they_part(void **state)
{
    (void)state;
    struct fixture f;
    char *text;
    size_t length;
    /* The L1 lets twice too many sectors out; everything behind it is right about what it gets. */
    compare(&f,
            "program,trace,kernel,smsp__inst_executed.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_"
            "ld.sum,"
            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum,lts__t_sectors_srcunit_tex_"
            "op_read.sum\n"
            "p,a,k,1000,4000,1000,800\np,ab,k2,1,1,1,1\n",
            "program,trace,metric,value\np,a,smsp__inst_executed.sum,1000\n"
            "p,a,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,4000\n"
            "p,a,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum,2000\n"
            "p,a,lts__t_sectors_srcunit_tex_op_read.sum,1600\n",
            NULL);
    assert_int_equal(
        strata_correlation_explain(&f.c, "p/a", STRATA_FORMAT_JSON, &text, &length, &f.err),
        STRATA_OK);
    assert_non_null(strstr(
        text, "\"parts_first_at\": \"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum\", "
              "\"parts_most_at\": "
              "\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum\""));
    assert_non_null(
        strstr(text, "\"metric\": \"lts__t_sectors_srcunit_tex_op_read.sum\", \"predicted\": 1600, "
                     "\"measured\": 800, \"ratio\": 2, \"own\": 1}"));
    free(text);
    assert_int_equal(
        strata_correlation_explain(&f.c, "p/", STRATA_FORMAT_TEXT, &text, &length, &f.err),
        STRATA_EUSAGE);
    assert_non_null(strstr(f.err.message, "fits 2 launches (p/a, p/ab)"));
    assert_int_equal(
        strata_correlation_explain(&f.c, "zz", STRATA_FORMAT_TEXT, &text, &length, &f.err),
        STRATA_EUSAGE);
    assert_int_equal(
        strata_correlation_explain(&f.c, "p/ab", STRATA_FORMAT_TEXT, &text, &length, &f.err),
        STRATA_EFORMAT);
    release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_those_worked_out_by_hand),
        cmocka_unit_test(correlations_are_those_worked_out_by_hand),
        cmocka_unit_test(percentages_are_compared_in_points),
        cmocka_unit_test(a_measured_zero_has_no_relative_error_unless_it_is_met),
        cmocka_unit_test(the_worst_five_come_first_and_exact_ones_never),
        cmocka_unit_test(launches_below_the_threshold_are_left_out),
        cmocka_unit_test(hit_rates_are_made_on_both_sides),
        cmocka_unit_test(a_hit_rate_of_nothing_is_unknown),
        cmocka_unit_test(launches_of_a_profiler_are_joined_by_kernel_and_shape),
        cmocka_unit_test(equal_launches_are_paired_in_order),
        cmocka_unit_test(a_name_that_fits_two_launches_is_refused_with_its_row),
        cmocka_unit_test(a_launch_predicted_twice_is_refused),
        cmocka_unit_test(nothing_in_common_is_refused_with_both_names),
        cmocka_unit_test(a_chosen_metric_that_nobody_has_is_refused),
        cmocka_unit_test(models_stand_side_by_side_and_parts_of_one_model_are_one),
        cmocka_unit_test(explaining_names_the_level_where_they_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
