/* trace_text.h - lines of a text trace, and the numbers in them.
 *
 * Every line handed out lies whole in one buffer and ends with '\n' (one is
 * added where the file's last line has none), so that a parser runs over it
 * without bounds checks: no token contains a '\n'. Behind the data the buffer
 * has TEXT_SLACK readable bytes for comparisons with remembered text. */
#ifndef STRATA_TRACE_TEXT_H
#define STRATA_TRACE_TEXT_H

#include <string.h>

#include "trace/stream.h"

enum { TEXT_BUFFER_BYTES = 256 * 1024, TEXT_SLACK = 256 };
/* A few kilobytes of compressed file can hold hours of empty lines; no tracer writes this many. */
enum { TEXT_MAX_BLANK_BYTES = 16 << 20 };

struct text {
    struct stream_source *in;
    const char *name; /* as errors name it */
    char *buffer;
    const char *at;        /* the next line */
    const char *lines_end; /* behind the last complete line of the buffer */
    const char *data_end;
    const char *line_start; /* the current line */
    uint64_t line;          /* its number, from 1 */
    bool input_over;
    bool newline_added;   /* the file's last line had no newline */
    uint64_t blank_bytes; /* buffers with nothing in them that have come one after the other */
};

/* Takes over `in`, also when it fails. */
strata_status text_init(struct text *t, struct stream_source *in, struct strata_error *err);
void text_release(struct text *t);
strata_status text_refill(struct text *t, struct strata_error *err);

/* Starts the next line: *p is its first byte. STRATA_END behind the last one. The caller ends it
 * with text_end_line or text_skip_line, or starts it anew later with text_unread_line. */
static inline strata_status text_begin_line(struct text *t, const char **p,
                                            struct strata_error *err)
{
    if (t->at == t->lines_end) {
        strata_status st = text_refill(t, err);
        if (st)
            return st;
    }
    t->line++;
    t->line_start = t->at;
    *p = t->at;
    return STRATA_OK;
}

/* `after` points behind the line's '\n'. */
static inline void text_end_line(struct text *t, const char *after)
{
    t->at = after;
}

static inline const char *text_newline(const struct text *t, const char *p)
{
    return memchr(p, '\n', (size_t)(t->lines_end - p));
}

static inline void text_skip_line(struct text *t)
{
    t->at = text_newline(t, t->at) + 1;
}

static inline void text_unread_line(struct text *t)
{
    t->at = t->line_start;
    t->line--;
}

/* True in the last line of a file that ends without a newline: it may be cut. */
static inline bool text_in_cut_line(const struct text *t)
{
    return t->newline_added && text_newline(t, t->line_start) + 1 == t->data_end;
}

/* Fails at `p`, a place in the current line. */
strata_status text_fail(const struct text *t, const char *p, struct strata_error *err,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));

/* ---- numbers and blanks ---- */

extern const signed char text_hex_digit[256]; /* -1: not a hexadecimal digit */

static inline bool text_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}
static inline const char *text_skip_blanks(const char *p)
{
    while (text_is_blank(*p))
        p++;
    return p;
}
/* A token ends here. */
static inline bool text_is_end(char c)
{
    return text_is_blank(c) || c == '\n';
}

/* Each returns the place behind the number, or NULL if there is none or it does not fit. Leading
 * zeros may be as many as they like. "0x" is optional in front of hexadecimal ones. */
static inline const char *text_hex(const char *p, uint64_t *value)
{
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
        p += 2;
    uint64_t v = 0;
    const char *start = p;
    for (int d; (d = text_hex_digit[(unsigned char)*p]) >= 0; p++) {
        if (v >> 60)
            return NULL;
        v = v << 4 | (uint64_t)d;
    }
    *value = v;
    return p == start ? NULL : p;
}

static inline const char *text_decimal(const char *p, uint64_t *value)
{
    uint64_t v = 0;
    const char *start = p;
    for (unsigned d; (d = (unsigned)(*p - '0')) < 10; p++) {
        if (v > UINT64_MAX / 10 - 1)
            return NULL;
        v = v * 10 + d;
    }
    *value = v;
    return p == start ? NULL : p;
}

static inline const char *text_signed(const char *p, int64_t *value)
{
    bool negative = *p == '-';
    uint64_t v;
    p = text_decimal(p + (negative || *p == '+'), &v);
    if (!p || v > (uint64_t)INT64_MAX)
        return NULL;
    *value = negative ? -(int64_t)v : (int64_t)v;
    return p;
}

#endif
