/* report.c - the page of web/ with a title and the data put where its markers stand. */
#include <string.h>

#include <strata/report.h>

#include "report/page.h"

/* "Strata: flow on h200, coalesce on h200" */
static void put_title(struct strata_text *t, const struct strata_predictions *p)
{
    strata_text_put(t, "Strata:");
    for (size_t i = 0; i < p->n; i++) {
        bool repeated = false;
        for (size_t k = 0; k < i; k++)
            repeated |= !strcmp(p->item[k].model, p->item[i].model) &&
                        !strcmp(p->item[k].gpu, p->item[i].gpu);
        if (repeated)
            continue;
        strata_text_put(t, i ? ", " : " ");
        strata_report_put_html(t, p->item[i].model);
        strata_text_put(t, " on ");
        strata_report_put_html(t, p->item[i].gpu);
    }
}

/* The markers stand in this order; embed.py refuses a page where they do not. */
static void put_page(struct strata_text *t, const struct strata_predictions *p,
                     const struct strata_text *data)
{
    const char *title = strstr(strata_report_page, STRATA_REPORT_TITLE_MARKER);
    const char *after_title = title + strlen(STRATA_REPORT_TITLE_MARKER);
    const char *blob = strstr(after_title, STRATA_REPORT_DATA_MARKER);
    strata_text_put_bytes(t, strata_report_page, (size_t)(title - strata_report_page));
    put_title(t, p);
    strata_text_put_bytes(t, after_title, (size_t)(blob - after_title));
    strata_report_put_script_json(t, data->data, data->length);
    strata_text_put(t, blob + strlen(STRATA_REPORT_DATA_MARKER));
}

static void tell_warnings(const struct strata_correlation *c, void (*warning)(const char *sentence))
{
    for (size_t i = 0; i < c->measured->n_warnings; i++)
        warning(c->measured->warning[i]);
    for (size_t i = 0; i < c->n_warnings; i++)
        warning(c->warning[i]);
}

static strata_status derive_all(struct strata_predictions *p, struct strata_error *err)
{
    bool short_of_memory = false;
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < p->item[i].n_results; k++) {
            strata_derive_metrics(&p->item[i].result[k]);
            short_of_memory |= p->item[i].result[k].out_of_memory;
        }
    if (!short_of_memory)
        return STRATA_OK;
    return strata_fail(err, STRATA_ENOMEM, NULL, 0, 0, "there is no memory left for the report.");
}

strata_status strata_report_html(struct strata_predictions *predictions,
                                 struct strata_measured *measured,
                                 void (*warning)(const char *sentence), char **text, size_t *length,
                                 struct strata_error *err)
{
    const struct strata_correlate_options all = {0};
    struct strata_correlation c = {0};
    struct strata_text data = {0}, page = {0};
    strata_status status = derive_all(predictions, err);
    if (status == STRATA_OK && measured)
        status = strata_correlate(measured, predictions, &all, &c, err);
    if (status == STRATA_OK && measured && warning)
        tell_warnings(&c, warning);
    if (status == STRATA_OK)
        status = strata_report_data(predictions, measured ? &c : NULL, &data, err);
    if (status == STRATA_OK)
        put_page(&page, predictions, &data);
    if (status == STRATA_OK && page.out_of_memory)
        status =
            strata_fail(err, STRATA_ENOMEM, NULL, 0, 0, "there is no memory left for the report.");
    strata_text_release(&data);
    strata_correlation_release(&c);
    if (status != STRATA_OK) {
        strata_text_release(&page);
        return status;
    }
    *text = page.data;
    *length = page.length;
    return STRATA_OK;
}
