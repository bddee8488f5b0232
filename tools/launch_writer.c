/* launch_writer.c - a prediction that is written while its launches are predicted. */
#include "launch_writer.h"

#include <stdlib.h>
#include <string.h>

static strata_status put(struct launch_writer *w, strata_status status, char *text, size_t length,
                         struct strata_error *err)
{
    if (status != STRATA_OK)
        return status;
    status = held_write(&w->out, text, length, err);
    free(text);
    return status;
}

strata_status launch_writer_open(struct launch_writer *w, const char *path,
                                 struct strata_error *err)
{
    return held_open(&w->out, path, err);
}

static strata_status put_head(struct launch_writer *w, struct strata_error *err)
{
    char *text = NULL;
    size_t length = 0;
    strata_status status =
        strata_prediction_head(w->prediction, w->layout, w->n_launches, &text, &length, err);
    return put(w, status, text, length, err);
}

/* Warnings are part of JSON and text already; on standard error they are for who watches. Those of
 * a reader begin with the name of its file. */
static strata_status keep_warnings(struct launch_writer *w, const struct strata_result *r,
                                   struct strata_error *err)
{
    if (!w->tell_warnings || !r->n_warnings)
        return STRATA_OK;
    strata_status status = w->warnings.stream ? STRATA_OK : held_text_open(&w->warnings, err);
    for (size_t k = 0; status == STRATA_OK && k < r->n_warnings; k++)
        if (strstr(r->warning[k], r->trace))
            fprintf(w->warnings.stream, "strata: %s\n", r->warning[k]);
        else
            fprintf(w->warnings.stream, "strata: %s/%s: %s\n", r->program, r->trace, r->warning[k]);
    return status;
}

strata_status launch_writer_take(void *context, size_t launch, struct strata_result *result,
                                 struct strata_error *err)
{
    struct launch_writer *w = context;
    char *text = NULL;
    size_t length = 0;
    strata_status status = launch ? STRATA_OK : put_head(w, err);
    if (status == STRATA_OK)
        status =
            strata_prediction_launch(w->prediction, w->layout, launch, result, &text, &length, err);
    status = put(w, status, text, length, err);
    return status == STRATA_OK ? keep_warnings(w, result, err) : status;
}

strata_status launch_writer_finish(struct launch_writer *w, struct strata_error *err)
{
    char *text = NULL;
    size_t length = 0;
    strata_status status = w->n_launches ? STRATA_OK : put_head(w, err);
    if (status == STRATA_OK)
        status = strata_prediction_tail(w->layout, &text, &length, err);
    status = put(w, status, text, length, err);
    if (status == STRATA_OK)
        status = held_commit(&w->out, err);
    if (status == STRATA_OK && w->warnings.stream)
        status = held_text_give(&w->warnings, stderr, err);
    return status;
}

void launch_writer_discard(struct launch_writer *w)
{
    held_discard(&w->out);
    held_text_discard(&w->warnings);
}
