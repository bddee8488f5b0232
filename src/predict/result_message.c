/* result_message.c - a launch's result as bytes: for another process, or for later. */
#include "predict/result_message.h"

#include <stdlib.h>
#include <string.h>

static void put_words(struct message *m, const char *words)
{
    message_put_words(m, words ? words : "", words ? strlen(words) : 0);
}

void result_put(struct message *m, const struct strata_result *r)
{
    message_put_number(m, r->n_counters);
    for (size_t i = 0; i < r->n_counters; i++) {
        put_words(m, r->counter[i].name);
        message_put_bytes(m, &r->counter[i].value, sizeof r->counter[i].value);
    }
    message_put_number(m, r->n_details);
    for (size_t i = 0; i < r->n_details; i++) {
        put_words(m, r->detail[i].path);
        message_put_number(m, r->detail[i].is_text);
        put_words(m, r->detail[i].text);
        message_put_bytes(m, &r->detail[i].value, sizeof r->detail[i].value);
    }
    message_put_number(m, r->n_warnings);
    for (size_t i = 0; i < r->n_warnings; i++)
        put_words(m, r->warning[i]);
}

static void get_counters(struct message *m, struct strata_result *r)
{
    size_t length;
    for (uint64_t n = message_get_number(m); n && !m->bad; n--) {
        double value;
        char *name = message_get_words(m, &length);
        message_get_bytes(m, &value, sizeof value);
        if (!m->bad)
            strata_result_set(r, name, value);
        free(name);
    }
}

static void get_details(struct message *m, struct strata_result *r)
{
    size_t length;
    for (uint64_t n = message_get_number(m); n && !m->bad; n--) {
        double value;
        char *path = message_get_words(m, &length);
        bool is_text = message_get_number(m);
        char *text = message_get_words(m, &length);
        message_get_bytes(m, &value, sizeof value);
        if (!m->bad && is_text)
            strata_result_detail_text(r, path, text);
        else if (!m->bad)
            strata_result_detail(r, path, value);
        free(path);
        free(text);
    }
}

void result_get(struct message *m, struct strata_result *r)
{
    size_t length;
    get_counters(m, r);
    get_details(m, r);
    for (uint64_t n = message_get_number(m); n && !m->bad; n--) {
        char *words = message_get_words(m, &length);
        if (!m->bad)
            strata_result_warn(r, "%s", words);
        free(words);
    }
    m->bad |= r->out_of_memory;
}
