/* strata/report.h - predictions, and how far they are from measurement, as one HTML page.
 *
 * The page stands alone: style, script and data are inside, and nothing is fetched. What it shows
 * is one JSON object (schema strata.report/1, docs/prediction-format.md) in a script element of
 * type application/json with the id strata-data; the page's own script (web/) draws it. */
#ifndef STRATA_REPORT_H
#define STRATA_REPORT_H

#include <stddef.h>
#include <strata/correlate.h>
#include <strata/prediction.h>
#include <strata/status.h>

/* `measured` may be NULL. Derived metrics are added to the predictions and the measurement, which
 * is why they are not const. *text is freed by the caller. `warning`, if not NULL, is told each
 * sentence about launches that could not be compared. */
strata_status strata_report_html(struct strata_predictions *predictions,
                                 struct strata_measured *measured,
                                 void (*warning)(const char *sentence), char **text, size_t *length,
                                 struct strata_error *err);

#endif
