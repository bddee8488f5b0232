/* Running out of memory at any allocation: an error, never a crash. Leaks show under
 * AddressSanitizer. The linker sends the allocations of our own code through the wrappers below. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/correlate.h>
#include <strata/report.h>

static long countdown = -1; /* allocations that still succeed; negative: all do */

static bool refuse(void)
{
    return countdown >= 0 && countdown-- == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t n);
int __real_vasprintf(char **out, const char *format, va_list args);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t n);
int __wrap_vasprintf(char **out, const char *format, va_list args);
int __wrap_asprintf(char **out, const char *format, ...) __attribute__((format(printf, 2, 3)));

void *__wrap_malloc(size_t size)
{
    return refuse() ? NULL : __real_malloc(size);
}
void *__wrap_calloc(size_t n, size_t size)
{
    return refuse() ? NULL : __real_calloc(n, size);
}
void *__wrap_realloc(void *old, size_t size)
{
    return refuse() ? NULL : __real_realloc(old, size);
}
char *__wrap_strdup(const char *text)
{
    return refuse() ? NULL : __real_strdup(text);
}
char *__wrap_strndup(const char *text, size_t n)
{
    return refuse() ? NULL : __real_strndup(text, n);
}
int __wrap_vasprintf(char **out, const char *format, va_list args)
{
    return refuse() ? -1 : __real_vasprintf(out, format, args);
}
int __wrap_asprintf(char **out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = refuse() ? -1 : __real_vasprintf(out, format, args);
    va_end(args);
    return n;
}

static const char measured_text[] =
    "ID,Process Name,Kernel Name,Block Size,Grid "
    "Size,smsp__inst_executed.sum,dram__sectors_read.sum,strata__own,sm__cycles_elapsed.max\n"
    "\"\",,,,,inst,furlong,,cycle\n0,app,f(int),\"(32, 1, 1)\",\"(4, 1, 1)\",\"1,000\",5,7,9\n"
    "1,app,g(int),\"(32, 1, 1)\",\"(8, 1, 1)\",30,5,8,9\n";
static const char reuse_text[] = "{\"schema\": \"strata.reuse/1\", \"gpu\": \"g\"}";
static const char predicted_text[] =
    "{\"schema\": \"strata.prediction/1\", \"model\": \"m\", \"variant\": \"v\", \"gpu\": \"g\", "
    "\"seed\": 1, "
    "\"overrides\": [\"a=b\"], \"launches\": [{\"program\": \"p\", \"trace\": \"t\", \"kernel\": "
    "\"_Z1fi\", \"grid\": [4, "
    "1, 1], \"block\": [32, 1, 1], \"metrics\": {\"smsp__inst_executed.sum\": 900, "
    "\"sm__cycles_elapsed.max\": 9, \"strata__own\": 7}, \"detail\": "
    "{\"x\": {\"y\": 1}, \"z\": \"w\"}, \"warnings\": [\"cut\"]}]}";
static const char csv_text[] =
    "program,trace,id,kernel,metric,unit,value,model,gpu\np,u,2,_Z1gi,strata__own,,8,m,g\n";

/* Reading, comparing and printing, everything released. */
static strata_status whole_report(struct strata_error *err)
{
    static struct strata_gpu gpu;
    struct strata_report r = {.is_measured = true};
    char *text;
    size_t length;
    strata_gpu_init(&gpu);
    strata_status status =
        strata_measured_parse(&r.measured, measured_text, sizeof measured_text - 1, "m", err);
    if (status == STRATA_OK)
        status = strata_report_parse(&r, predicted_text, sizeof predicted_text - 1, "p", err);
    if (status == STRATA_OK)
        status = strata_report_parse(&r, reuse_text, sizeof reuse_text - 1, "r", err);
    if (status == STRATA_OK)
        status = strata_report_add_gpu(&r, &gpu, "g", NULL, 0, err);
    if (status == STRATA_OK)
        status = strata_report_html(&r, NULL, &text, &length, err);
    if (status == STRATA_OK)
        free(text);
    strata_report_release(&r);
    return status;
}

static strata_status whole_job(void)
{
    struct strata_measured measured;
    struct strata_predictions set = {0};
    struct strata_correlation c = {0};
    struct strata_correlate_options opt = {0};
    struct strata_error err;
    char *text;
    size_t length;
    strata_status status =
        strata_measured_parse(&measured, measured_text, sizeof measured_text - 1, "m", &err);
    if (status == STRATA_OK)
        status =
            strata_predictions_parse(&set, predicted_text, sizeof predicted_text - 1, "p", &err);
    if (status == STRATA_OK)
        status = strata_predictions_parse(&set, csv_text, sizeof csv_text - 1, "q", &err);
    if (status == STRATA_OK)
        status = strata_correlate(&measured, &set, &opt, &c, &err);
    for (int format = STRATA_FORMAT_TEXT; status == STRATA_OK && format <= STRATA_FORMAT_JSON;
         format++) {
        status =
            strata_prediction_print(&set.item[0], (enum strata_format)format, &text, &length, &err);
        if (status == STRATA_OK)
            free(text);
        if (status == STRATA_OK)
            status = strata_correlation_print(&c, (enum strata_format)format, &text, &length, &err);
        if (status == STRATA_OK)
            free(text);
        if (status == STRATA_OK)
            status = strata_correlation_print_summary(&c, (enum strata_format)format, &text,
                                                      &length, &err);
        if (status == STRATA_OK)
            free(text);
        if (status == STRATA_OK)
            status = strata_correlation_explain(&c, "0:f(int)", (enum strata_format)format, &text,
                                                &length, &err);
        if (status == STRATA_OK)
            free(text);
    }
    if (status == STRATA_OK)
        status = whole_report(&err);
    strata_correlation_release(&c);
    strata_predictions_release(&set);
    strata_measured_release(&measured);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    long n = 0, failures = 0;
    strata_status status;
    assert_int_equal(whole_job(), STRATA_OK);
    do {
        countdown = n++;
        status = whole_job();
        bool reached = countdown < 0; /* the refusal happened */
        countdown = -1;
        failures += status == STRATA_ENOMEM;
        if (status != STRATA_OK && status != STRATA_ENOMEM)
            fail_msg("refusing allocation %ld gave status %d", n - 1, status);
        if (!reached)
            break;
    } while (n < 100000);
    print_message("refused each of %ld allocations, %ld were told\n", n - 1, failures);
    assert_true(n > 300 && n < 100000);
    /* warnings may be lost quietly; nearly everything else must be told */
    assert_true(failures * 10 > n * 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
