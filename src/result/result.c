/* result.c - the counters, details and warnings a model leaves for one launch. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <strata/result.h>

#include "base/text.h"
#include "base/array.h"

static char *copy_text(struct strata_result *r, const char *text)
{
    char *copy = strdup(text ? text : "");
    if (copy)
        strata_text_clean(copy); /* a prediction read back may name things as it likes */
    else
        r->out_of_memory = true;
    return copy;
}

strata_status strata_result_init(struct strata_result *r, const struct strata_launch *launch,
                                 struct strata_error *err)
{
    memset(r, 0, sizeof *r);
    r->program = copy_text(r, launch->program);
    r->trace = copy_text(r, launch->trace);
    r->kernel = copy_text(r, launch->kernel);
    r->id = launch->id;
    r->grid = launch->grid;
    r->block = launch->block;
    if (!r->out_of_memory)
        return STRATA_OK;
    strata_result_release(r);
    return strata_no_memory(err, launch->trace, "for the result of this launch");
}

void strata_result_release(struct strata_result *r)
{
    for (size_t i = 0; i < r->n_counters; i++)
        free(r->counter[i].name);
    for (size_t i = 0; i < r->n_details; i++) {
        free(r->detail[i].path);
        free(r->detail[i].text);
    }
    for (size_t i = 0; i < r->n_warnings; i++)
        free(r->warning[i]);
    free(r->counter);
    free(r->detail);
    free(r->warning);
    free(r->program);
    free(r->trace);
    free(r->kernel);
    memset(r, 0, sizeof *r);
}

static struct strata_counter *find_counter(const struct strata_result *r, const char *metric)
{
    for (size_t i = 0; i < r->n_counters; i++)
        if (!strcmp(r->counter[i].name, metric))
            return &r->counter[i];
    return NULL;
}

void strata_result_set(struct strata_result *r, const char *metric, double value)
{
    struct strata_counter *c = find_counter(r, metric);
    if (c) {
        c->value = value;
        return;
    }
    char *name = copy_text(r, metric);
    c = name && strcmp(name, metric) ? find_counter(r, name) : NULL; /* the same when made fit */
    if (c) {
        c->value = value;
        free(name);
        return;
    }
    if (!name || !ARRAY_RESERVE(r->counter, r->n_counters, r->cap_counters, 1)) {
        r->out_of_memory = true;
        free(name);
        return;
    }
    r->counter[r->n_counters++] = (struct strata_counter){.name = name, .value = value};
}

bool strata_result_get(const struct strata_result *r, const char *metric, double *value)
{
    const struct strata_counter *c = find_counter(r, metric);
    if (c && value)
        *value = c->value;
    return c != NULL;
}

/* The entry under `path`, made if it is not there; NULL when memory has run out. */
static struct strata_detail *detail_at(struct strata_result *r, const char *path)
{
    for (size_t i = 0; i < r->n_details; i++)
        if (!strcmp(r->detail[i].path, path))
            return &r->detail[i];
    char *name = copy_text(r, path);
    if (!name || !ARRAY_RESERVE(r->detail, r->n_details, r->cap_details, 1)) {
        r->out_of_memory = true;
        free(name);
        return NULL;
    }
    struct strata_detail *d = &r->detail[r->n_details++];
    *d = (struct strata_detail){.path = name};
    return d;
}

void strata_result_detail(struct strata_result *r, const char *path, double value)
{
    struct strata_detail *d = detail_at(r, path);
    if (!d)
        return;
    free(d->text);
    d->text = NULL;
    d->is_text = false;
    d->value = value;
}

void strata_result_detail_text(struct strata_result *r, const char *path, const char *text)
{
    struct strata_detail *d = detail_at(r, path);
    char *copy = d ? copy_text(r, text) : NULL;
    if (!copy)
        return;
    free(d->text);
    d->text = copy;
    d->is_text = true;
    d->value = 0;
}

void strata_result_warn(struct strata_result *r, const char *format, ...)
{
    char *sentence = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&sentence, format, args) < 0)
        sentence = NULL;
    va_end(args);
    if (!sentence || !ARRAY_RESERVE(r->warning, r->n_warnings, r->cap_warnings, 1)) {
        r->out_of_memory = true;
        free(sentence);
        return;
    }
    r->warning[r->n_warnings++] = sentence;
}
