/* page.h - the parts a report is put together from. */
#ifndef STRATA_REPORT_PAGE_H
#define STRATA_REPORT_PAGE_H

#include <strata/correlate.h>
#include <strata/report.h>

#include "base/text.h"

#define STRATA_REPORT_SCHEMA "strata.report/2"

/* The page of web/ with its style and script inside, made by embed.py. It holds each marker once.
 */
extern const char strata_report_page[];
#define STRATA_REPORT_TITLE_MARKER "@strata-title@"
#define STRATA_REPORT_DATA_MARKER  "@strata-data@"

/* Text between tags or in a quoted attribute. Bytes that are not UTF-8 become U+FFFD. */
void strata_report_put_html(struct strata_text *t, const char *words);
/* JSON inside a script element: nothing in it may end the element or open a comment. */
void strata_report_put_script_json(struct strata_text *t, const char *json, size_t length);

/* The object the page draws. `c` is NULL where nothing was measured. */
strata_status strata_report_data(const struct strata_report *r, const struct strata_correlation *c,
                                 struct strata_text *t, struct strata_error *err);

#endif
