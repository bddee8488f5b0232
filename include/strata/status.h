/* strata/status.h - status codes and the error sink every fallible call takes.
 *
 * A function that can fail returns a strata_status and takes a
 * `struct strata_error *` last (NULL is allowed). On success the error is left
 * untouched. On failure it holds one complete sentence that names the input,
 * the place, the cause and the remedy. The library never prints, exits or
 * aborts on user input. */
#ifndef STRATA_STATUS_H
#define STRATA_STATUS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum strata_status {
    STRATA_OK = 0,
    STRATA_END,          /* not an error: an iteration is over */
    STRATA_ENOMEM,       /* out of memory */
    STRATA_EIO,          /* the operating system refused a read or a write */
    STRATA_EFORMAT,      /* the input is damaged or is not what it claims to be */
    STRATA_ECONFIG,      /* a GPU file or an option has an unknown key or an impossible value */
    STRATA_EUNSUPPORTED, /* understood, but not something this build or model can do */
    STRATA_ELIMIT,       /* a stated limit was exceeded */
    STRATA_EUSAGE,       /* the call itself was wrong: a bad command-line option, say */
    STRATA_EMISMATCH,    /* a comparison or threshold failed */
} strata_status;

struct strata_error {
    strata_status status;
    char file[512];    /* the input the message is about, "" if none */
    uint32_t line;     /* 1-based, 0 if none */
    uint32_t column;   /* 1-based, 0 if none */
    char message[768]; /* one sentence; does not repeat file:line:column */
};

/* A short stable word for a status ("format", "io", ...). */
const char *strata_status_name(strata_status status);

/* Fill *err (may be NULL) and return `status`, so that callers can write
 * `return strata_fail(err, STRATA_EIO, path, 0, 0, "...", ...)`. */
strata_status strata_fail(struct strata_error *err, strata_status status, const char *file,
                          uint32_t line, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* STRATA_ENOMEM and its one sentence, "there is no memory left PURPOSE."; file and purpose ("for
 * the results", "to read the trace") may be NULL. */
strata_status strata_no_memory(struct strata_error *err, const char *file, const char *purpose, ...)
    __attribute__((format(printf, 3, 4)));

/* The message with its place in front: "file:line:column: sentence". `out` holds `size` bytes. */
void strata_error_text(const struct strata_error *err, char *out, uint64_t size);

/* Typing errors (a letter too many, too few, wrong, or two exchanged) between two words of up to 64
 * letters; SIZE_MAX if it is clear from the lengths that there are `limit` or more. For messages
 * that ask "did you mean ...?". */
size_t strata_word_distance(const char *a, const char *b, size_t limit);

/* Whether a spreadsheet would take the field for a formula: it begins with = + - @ and is no
 * number. */
bool strata_text_is_formula(const char *words);

#endif
