/* team_message.h - bytes that travel between processes of one run. */
#ifndef STRATA_BASE_TEAM_MESSAGE_H
#define STRATA_BASE_TEAM_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct message {
    char *data;
    size_t length, cap, at; /* at: what has been read */
    bool bad;               /* out of memory, or read past the end */
};
void message_release(struct message *m);
void message_put_bytes(struct message *m, const void *bytes, size_t n);
void message_get_bytes(struct message *m, void *out, size_t n);
void message_put_number(struct message *m, uint64_t v);
uint64_t message_get_number(struct message *m);
void message_put_words(struct message *m, const char *words, size_t n);
/* To be freed; NULL if there is no memory or the message ends early. */
char *message_get_words(struct message *m, size_t *length);

#endif
