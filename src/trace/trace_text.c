/* trace_text.c - lines of a text trace. */
#include "trace/trace_text.h"

#include <stdio.h>
#include <stdlib.h>

#define HEX_ROW_NONE -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1
/* clang-format off */
const signed char text_hex_digit[256] = {
    HEX_ROW_NONE, HEX_ROW_NONE, HEX_ROW_NONE,
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -1, -1, -1, -1, -1,
    -1, 10, 11, 12, 13, 14, 15, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    HEX_ROW_NONE,
    -1, 10, 11, 12, 13, 14, 15, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    HEX_ROW_NONE,
    HEX_ROW_NONE, HEX_ROW_NONE, HEX_ROW_NONE, HEX_ROW_NONE,
    HEX_ROW_NONE, HEX_ROW_NONE, HEX_ROW_NONE, HEX_ROW_NONE,
};
/* clang-format on */

strata_status text_init(struct text *t, struct stream_source *in, struct strata_error *err)
{
    *t = (struct text){.in = in, .name = stream_source_name(in)};
    /* One more byte than the buffer: the newline that a last line may lack. */
    t->buffer = calloc(1, TEXT_BUFFER_BYTES + 1 + TEXT_SLACK);
    if (!t->buffer) {
        strata_no_memory(err, t->name, "to open the file");
        text_release(t);
        return STRATA_ENOMEM;
    }
    t->at = t->lines_end = t->data_end = t->line_start = t->buffer;
    return STRATA_OK;
}

void text_release(struct text *t)
{
    stream_source_close(t->in);
    free(t->buffer);
    *t = (struct text){0};
}

static strata_status too_long(const struct text *t, struct strata_error *err)
{
    return strata_fail(
        err, STRATA_EFORMAT, t->name, t->line < UINT32_MAX ? (uint32_t)t->line + 1 : 0, 0,
        "this line is longer than %d bytes, so the file is not a text trace.", TEXT_BUFFER_BYTES);
}

/* Moves the incomplete line to the front and reads behind it. */
static strata_status count_blanks(struct text *t, struct strata_error *err)
{
    size_t n = (size_t)(t->lines_end - t->buffer), blank = 0;
    while (blank < n && (text_is_blank(t->buffer[blank]) || t->buffer[blank] == '\n'))
        blank++;
    t->blank_bytes = blank == n ? t->blank_bytes + n : 0;
    if (t->blank_bytes <= TEXT_MAX_BLANK_BYTES)
        return STRATA_OK;
    return strata_fail(err, STRATA_EFORMAT, t->name, t->line < UINT32_MAX ? (uint32_t)t->line : 0,
                       0,
                       "more than %d MiB of empty lines follow one another; this is not a trace.",
                       TEXT_MAX_BLANK_BYTES >> 20);
}

strata_status text_refill(struct text *t, struct strata_error *err)
{
    size_t kept = (size_t)(t->data_end - t->at);
    if (t->input_over)
        return STRATA_END;
    if (kept == TEXT_BUFFER_BYTES)
        return too_long(t, err);
    memmove(t->buffer, t->at, kept);
    size_t got = 0;
    strata_status st =
        stream_source_read(t->in, t->buffer + kept, TEXT_BUFFER_BYTES - kept, &got, err);
    if (st)
        return st;
    char *end = t->buffer + kept + got;
    t->input_over = kept + got < TEXT_BUFFER_BYTES;
    if (t->input_over && end > t->buffer && end[-1] != '\n') {
        *end++ = '\n';
        t->newline_added = true;
    }
    t->at = t->buffer;
    t->data_end = end;
    const char *last = memrchr(t->buffer, '\n', (size_t)(end - t->buffer));
    t->lines_end = last ? last + 1 : t->buffer;
    if (t->lines_end == t->buffer)
        return t->input_over ? STRATA_END : too_long(t, err);
    return count_blanks(t, err);
}

strata_status text_fail(const struct text *t, const char *p, struct strata_error *err,
                        const char *format, ...)
{
    char message[sizeof err->message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    uint32_t line = t->line < UINT32_MAX ? (uint32_t)t->line : UINT32_MAX;
    uint32_t column = p ? (uint32_t)(p - t->line_start) + 1 : 0;
    return strata_fail(err, STRATA_EFORMAT, t->name, line, column, "%s", message);
}
