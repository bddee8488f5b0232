/* Measured counters in any layout: never a crash, and what was read can be joined with itself. */
#include <stdint.h>
#include <stdlib.h>

#include <strata/correlate.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The measurement as its own prediction: every error must be 0. */
static void compare_with_itself(struct strata_measured *m)
{
    struct strata_prediction p;
    struct strata_predictions set = {.item = &p, .n = 1};
    struct strata_correlate_options opt = {0};
    struct strata_correlation c;
    struct strata_error err;
    char *text;
    size_t length;
    if (strata_prediction_init(&p, "g", "m", NULL, 1, NULL) != STRATA_OK)
        return;
    p.result = m->launch;
    p.n_results = m->n_launches;
    if (strata_correlate(m, &set, &opt, &c, &err) == STRATA_OK) {
        for (size_t i = 0; i < c.model[0].n_metrics; i++)
            if (c.model[0].metric[i].n_exact != c.model[0].metric[i].n)
                abort();
        for (int format = STRATA_FORMAT_TEXT; format <= STRATA_FORMAT_JSON; format++)
            if (strata_correlation_print(&c, (enum strata_format)format, &text, &length, &err) ==
                STRATA_OK)
                free(text);
        if (strata_correlation_explain(&c, m->launch[0].kernel, STRATA_FORMAT_TEXT, &text, &length,
                                       &err) == STRATA_OK)
            free(text);
        strata_correlation_release(&c);
    }
    p.result = NULL; /* they are the measurement's */
    p.n_results = 0;
    strata_prediction_release(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct strata_measured m;
    struct strata_error err;
    if (strata_measured_parse(&m, (const char *)data, size, "input", &err) != STRATA_OK)
        return 0;
    compare_with_itself(&m);
    strata_measured_release(&m);
    return 0;
}
