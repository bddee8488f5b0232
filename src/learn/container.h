/* container.h - the file that training data, profiles and models share: a head with kind, version,
 * length and checksum, then a text (how it was made, JSON), then the kind's own bytes. All numbers
 * are little-endian. */
#ifndef STRATA_LEARN_CONTAINER_H
#define STRATA_LEARN_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/status.h>

enum learn_kind { LEARN_KIND_SET = 1, LEARN_KIND_MODEL = 2 };
enum { LEARN_VERSION = 2, LEARN_HEAD_BYTES = 32 };

/* Writing: a growing buffer; running out of memory is told once, by learn_save. */
struct learn_out {
    uint8_t *data;
    size_t n, cap;
    bool failed;
};
void learn_out_release(struct learn_out *o);
void learn_put_bytes(struct learn_out *o, const void *bytes, size_t n);
void learn_put_u32(struct learn_out *o, uint32_t x);
void learn_put_float(struct learn_out *o, float x);
void learn_put_text(struct learn_out *o, const char *text); /* length, bytes */
/* Puts the head in front of the bytes and writes the file under a temporary name first. */
strata_status learn_save(const struct learn_out *o, uint32_t kind, const char *path,
                         struct strata_error *err);

/* Reading: `failed` once something was not there; everything after it reads as 0. */
struct learn_in {
    const uint8_t *at, *end;
    bool failed;
};
uint32_t learn_get_u32(struct learn_in *in);
float learn_get_float(struct learn_in *in);
const uint8_t *learn_get_bytes(struct learn_in *in, size_t n); /* NULL: not there */
/* A new string; NULL if it is not there, not UTF-8, or there is no memory. */
char *learn_get_text(struct learn_in *in);
/* How many of so many bytes each can still be there at most: a limit for counts. */
bool learn_can_hold(const struct learn_in *in, uint64_t n, size_t bytes);

/* Checks the head of `data` and gives what follows it. `name` is for messages. */
strata_status learn_open(const uint8_t *data, size_t n, uint32_t kind, const char *name,
                         struct learn_in *in, struct strata_error *err);
strata_status learn_damaged(const char *name, const char *what, struct strata_error *err);

#endif
