/* strata/report.h - predictions, profiles and sweeps, and how far they are from measurement, as
 * one HTML page.
 *
 * The page stands alone: style, script and data are inside, and nothing is fetched. What it shows
 * is one JSON object (schema strata.report/2, docs/formats.md) in a script element of type
 * application/json with the id strata-data; the page's own script (web/) draws it. */
#ifndef STRATA_REPORT_H
#define STRATA_REPORT_H

#include <stddef.h>
#include <strata/correlate.h>
#include <strata/gpu.h>
#include <strata/prediction.h>
#include <strata/status.h>

/* A result of another kind than a prediction, kept as the JSON it came as. */
struct strata_report_document {
    char *file, *schema; /* "strata.reuse/1" */
    char *gpu;           /* the GPU it names; NULL: none */
    char *json;          /* one line */
};

/* What goes into one page. Start with {0}. */
struct strata_report {
    struct strata_predictions predictions;
    struct strata_measured measured;
    bool is_measured;         /* `measured` was loaded */
    const char *measured_gpu; /* compare predictions for this GPU only; NULL: all. Borrowed */
    struct strata_report_document *document;
    size_t n_documents, cap_documents;
    char **gpu_json; /* one GPU each, see strata_report_add_gpu */
    size_t n_gpus, cap_gpus;
};
void strata_report_release(struct strata_report *r);

/* Adds what `path` ("-": standard input) holds: a prediction as JSON or CSV, or JSON of one of the
 * schemas that strata_report_schemas lists. */
strata_status strata_report_load(struct strata_report *r, const char *path,
                                 struct strata_error *err);
strata_status strata_report_parse(struct strata_report *r, const char *data, size_t length,
                                  const char *file, struct strata_error *err);
/* Ends with NULL. */
const char *const *strata_report_schemas(void);

/* The values of a GPU with their sources, shown under `name` and `override` ("key=value"), which
 * are those of the predictions it belongs to. */
strata_status strata_report_add_gpu(struct strata_report *r, const struct strata_gpu *gpu,
                                    const char *name, char *const *override, size_t n_overrides,
                                    struct strata_error *err);

/* The page; *text is freed by the caller. Derived metrics are added to predictions and measurement,
 * which is why the report is not const. `warning`, if not NULL, is told each sentence about
 * launches that could not be compared. */
strata_status strata_report_html(struct strata_report *r, void (*warning)(const char *sentence),
                                 char **text, size_t *length, struct strata_error *err);

#endif
