/* launch_writer.h - a prediction that is written while its launches are predicted. */
#ifndef STRATA_TOOLS_LAUNCH_WRITER_H
#define STRATA_TOOLS_LAUNCH_WRITER_H

#include <stdbool.h>
#include <strata/prediction.h>

#include "held_output.h"

struct launch_writer {
    const struct strata_prediction *prediction; /* its words are known before the first launch */
    enum strata_layout layout;
    size_t n_launches;  /* there will be */
    bool tell_warnings; /* on standard error, at the end */
    struct held_output out;
    struct held_text warnings;
};

/* Fills in the writer's `out`; `path` as for output_open. */
strata_status launch_writer_open(struct launch_writer *w, const char *path,
                                 struct strata_error *err);
/* Launch by launch; `context` is the writer, as for strata_predict_options.take. */
strata_status launch_writer_take(void *context, size_t launch, struct strata_result *result,
                                 struct strata_error *err);
/* The output is complete, and warnings are told. */
strata_status launch_writer_finish(struct launch_writer *w, struct strata_error *err);
void launch_writer_discard(struct launch_writer *w); /* also after _finish */

#endif
