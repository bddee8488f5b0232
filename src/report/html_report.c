/* html_report.c - the page of web/ with a title and the data put where its markers stand. */
#include <stdlib.h>
#include <string.h>

#include <strata/report.h>

#include "report/page.h"

/* "Strata: flow on h200, coalesce on h200" */
static void put_title(struct strata_text *t, const struct strata_predictions *p)
{
    strata_text_put(t, p->n ? "Strata:" : "Strata");
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
static void put_page(struct strata_text *t, const struct strata_report *r,
                     const struct strata_text *data)
{
    const char *title = strstr(strata_report_page, STRATA_REPORT_TITLE_MARKER);
    const char *after_title = title + strlen(STRATA_REPORT_TITLE_MARKER);
    const char *blob = strstr(after_title, STRATA_REPORT_DATA_MARKER);
    strata_text_put_bytes(t, strata_report_page, (size_t)(title - strata_report_page));
    put_title(t, &r->predictions);
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
    return strata_no_memory(err, NULL, "for the report");
}

/* The predictions that may be compared, sharing their results with the report. */
static strata_status choose_compared(const struct strata_report *r, struct strata_predictions *out,
                                     struct strata_error *err)
{
    *out = (struct strata_predictions){.item = calloc(r->predictions.n + 1, sizeof *out->item)};
    if (!out->item)
        return strata_no_memory(err, NULL, "for the report");
    for (size_t i = 0; r->is_measured && i < r->predictions.n; i++)
        if (!r->measured_gpu || !strcmp(r->predictions.item[i].gpu, r->measured_gpu))
            out->item[out->n++] = r->predictions.item[i];
    return STRATA_OK;
}

strata_status strata_report_html(struct strata_report *r, void (*warning)(const char *sentence),
                                 char **text, size_t *length, struct strata_error *err)
{
    /* Who says which GPU was measured has decided already. */
    const struct strata_correlate_options all = {.any_gpu = r->measured_gpu != NULL};
    struct strata_predictions compared = {0};
    struct strata_correlation c = {0};
    struct strata_text data = {0}, page = {0};
    strata_status status = derive_all(&r->predictions, err);
    if (status == STRATA_OK)
        status = choose_compared(r, &compared, err);
    bool compare = compared.n > 0;
    if (status == STRATA_OK && compare)
        status = strata_correlate(&r->measured, &compared, &all, &c, err);
    if (status == STRATA_OK && compare && warning)
        tell_warnings(&c, warning);
    if (status == STRATA_OK)
        status = strata_report_data(r, compare ? &c : NULL, &data, err);
    if (status == STRATA_OK)
        put_page(&page, r, &data);
    if (status == STRATA_OK && page.out_of_memory)
        status = strata_no_memory(err, NULL, "for the report");
    strata_text_release(&data);
    strata_correlation_release(&c);
    free(compared.item); /* its members are the report's */
    if (status != STRATA_OK) {
        strata_text_release(&page);
        return status;
    }
    *text = page.data;
    *length = page.length;
    return STRATA_OK;
}
