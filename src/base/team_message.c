/* team_message.c - bytes that travel between processes of one run. */
#include "base/team_message.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void message_release(struct message *m)
{
    free(m->data);
    memset(m, 0, sizeof *m);
}

void message_put_bytes(struct message *m, const void *bytes, size_t n)
{
    if (m->bad || !ARRAY_RESERVE(m->data, m->length, m->cap, n + 1)) {
        m->bad = true;
        return;
    }
    memcpy(m->data + m->length, bytes, n);
    m->length += n;
}

void message_get_bytes(struct message *m, void *out, size_t n)
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
    message_put_bytes(m, &v, sizeof v); /* processes of one run are of one kind of machine */
}

uint64_t message_get_number(struct message *m)
{
    uint64_t v;
    message_get_bytes(m, &v, sizeof v);
    return v;
}

void message_put_words(struct message *m, const char *words, size_t n)
{
    message_put_number(m, n);
    message_put_bytes(m, words, n);
}

char *message_get_words(struct message *m, size_t *length)
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
    message_get_bytes(m, words, n);
    words[n] = 0;
    *length = n;
    return words;
}
