/* span_words.h - names of spans, for every way they are written. */
#ifndef STRATA_APPLICATION_SPAN_WORDS_H
#define STRATA_APPLICATION_SPAN_WORDS_H

#include <strata/timeline.h>

#include "base/text.h"

const char *span_name(const struct strata_span *p, const struct strata_trace *trace);
const char *span_kind(const struct strata_span *p, const struct strata_trace *trace);
/* The reading half of a copy on the device is not. */
bool span_is_shown(const struct strata_span *p, const struct strata_trace *trace);

/* Text that goes on to a writer as it grows; without one it stays whole. */
struct span_text {
    struct strata_text t;
    const struct strata_timeline_writer *to;
    strata_status status;
    struct strata_error *err;
};
/* Between two spans. */
void span_text_pass_on(struct span_text *s);
/* All is there: what is left goes to the writer. */
strata_status span_text_end(struct span_text *s);
/* Or all of it to the caller. */
strata_status span_text_take(struct span_text *s, char **text, size_t *length);

#endif
