/* part.c - outcomes and messages. */
#include "explore/part.h"

#include <stdlib.h>
#include <string.h>

void part_outcome_release(struct part_outcome *o)
{
    for (size_t i = 0; i < o->n; i++)
        free(o->counter[i].name);
    free(o->counter);
    free(o->error);
    free(o->profile);
    memset(o, 0, sizeof *o);
}

void part_outcome_fail(struct part_outcome *o, const struct strata_error *why)
{
    char text[1400];
    strata_error_text(why, text, sizeof text);
    part_outcome_release(o);
    o->failed = true;
    o->error = strdup(text);
}

void part_outcome_take(struct part_outcome *o, struct strata_result *r)
{
    o->counter = r->counter;
    o->n = r->n_counters;
    r->counter = NULL;
    r->n_counters = r->cap_counters = 0;
}

/* ---- messages ---- */

void message_put_outcome(struct message *m, const struct part_outcome *o)
{
    const char *error = o->error ? o->error : "";
    message_put_number(m, o->failed);
    message_put_words(m, error, strlen(error));
    message_put_words(m, o->profile ? o->profile : "", o->profile_length);
    message_put_number(m, o->n);
    for (size_t i = 0; i < o->n; i++) {
        message_put_words(m, o->counter[i].name, strlen(o->counter[i].name));
        message_put_bytes(m, &o->counter[i].value, sizeof o->counter[i].value);
    }
}

void message_get_outcome(struct message *m, struct part_outcome *o)
{
    size_t length;
    memset(o, 0, sizeof *o);
    o->failed = message_get_number(m);
    o->error = message_get_words(m, &length);
    o->profile = message_get_words(m, &o->profile_length);
    uint64_t n = message_get_number(m);
    if (m->bad || n > m->length) {
        m->bad = true;
        return;
    }
    o->counter = calloc(n + 1, sizeof *o->counter);
    m->bad |= !o->counter;
    for (; !m->bad && o->n < n; o->n++) {
        o->counter[o->n].name = message_get_words(m, &length);
        message_get_bytes(m, &o->counter[o->n].value, sizeof(double));
    }
}
