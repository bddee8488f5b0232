/* part.c - outcomes and messages. */
#include "explore/part.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

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

void message_release(struct message *m)
{
    free(m->data);
    memset(m, 0, sizeof *m);
}

static void put_bytes(struct message *m, const void *bytes, size_t n)
{
    if (m->bad || !ARRAY_RESERVE(m->data, m->length, m->cap, n + 1)) {
        m->bad = true;
        return;
    }
    memcpy(m->data + m->length, bytes, n);
    m->length += n;
}

static void get_bytes(struct message *m, void *out, size_t n)
{
    memset(out, 0, n);
    if (m->bad || n > m->length - m->at) {
        m->bad = true;
        return;
    }
    memcpy(out, m->data + m->at, n);
    m->at += n;
}

void message_put_number(struct message *m, uint64_t v)
{
    put_bytes(m, &v, sizeof v); /* processes of one run are of one kind of machine */
}

uint64_t message_get_number(struct message *m)
{
    uint64_t v;
    get_bytes(m, &v, sizeof v);
    return v;
}

static void put_words(struct message *m, const char *words, size_t n)
{
    message_put_number(m, n);
    put_bytes(m, words, n);
}

/* NULL if there is no memory or the message ends early. */
static char *get_words(struct message *m, size_t *length)
{
    uint64_t n = message_get_number(m);
    *length = 0;
    if (m->bad || n > m->length - m->at) {
        m->bad = true;
        return NULL;
    }
    char *words = malloc(n + 1);
    if (!words) {
        m->bad = true;
        return NULL;
    }
    get_bytes(m, words, n);
    words[n] = 0;
    *length = n;
    return words;
}

void message_put_outcome(struct message *m, const struct part_outcome *o)
{
    const char *error = o->error ? o->error : "";
    message_put_number(m, o->failed);
    put_words(m, error, strlen(error));
    put_words(m, o->profile ? o->profile : "", o->profile_length);
    message_put_number(m, o->n);
    for (size_t i = 0; i < o->n; i++) {
        put_words(m, o->counter[i].name, strlen(o->counter[i].name));
        put_bytes(m, &o->counter[i].value, sizeof o->counter[i].value);
    }
}

void message_get_outcome(struct message *m, struct part_outcome *o)
{
    size_t length;
    memset(o, 0, sizeof *o);
    o->failed = message_get_number(m);
    o->error = get_words(m, &length);
    o->profile = get_words(m, &o->profile_length);
    uint64_t n = message_get_number(m);
    if (m->bad || n > m->length) {
        m->bad = true;
        return;
    }
    o->counter = calloc(n + 1, sizeof *o->counter);
    m->bad |= !o->counter;
    for (; !m->bad && o->n < n; o->n++) {
        o->counter[o->n].name = get_words(m, &length);
        get_bytes(m, &o->counter[o->n].value, sizeof(double));
    }
}
