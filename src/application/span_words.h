/* span_words.h - names of spans, for every way they are written. */
#ifndef STRATA_APPLICATION_SPAN_WORDS_H
#define STRATA_APPLICATION_SPAN_WORDS_H

#include <strata/timeline.h>

#include "base/text.h"

const char *span_name(const struct strata_span *p, const struct strata_trace *trace);
const char *span_kind(const struct strata_span *p, const struct strata_trace *trace);
/* The reading half of a copy on the device is not. */
bool span_is_shown(const struct strata_span *p, const struct strata_trace *trace);
const char *span_limiter(const struct strata_span *p); /* "": not known */
/* Hands a complete text over. */
strata_status text_take(struct strata_text *t, char **text, size_t *length,
                        struct strata_error *err);

#endif
