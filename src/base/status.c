/* status.c - status codes and error messages. */
#include <stdio.h>
#include <string.h>

#include <strata/status.h>

#include "base/text.h"

const char *strata_status_name(strata_status status)
{
    static const char *const names[] = {
        [STRATA_OK] = "ok",
        [STRATA_END] = "end",
        [STRATA_ENOMEM] = "memory",
        [STRATA_EIO] = "io",
        [STRATA_EFORMAT] = "format",
        [STRATA_ECONFIG] = "config",
        [STRATA_EUNSUPPORTED] = "unsupported",
        [STRATA_ELIMIT] = "limit",
        [STRATA_EUSAGE] = "usage",
        [STRATA_EMISMATCH] = "mismatch",
    };
    if ((size_t)status >= sizeof names / sizeof names[0])
        return "unknown";
    return names[status];
}

/* Sentences quote what stands in files, which must not command a terminal. */
static void clean_lines(char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        char end = text[n];
        text[n] = 0;
        strata_text_clean(text);
        text[n] = end;
        text += n + (end != 0);
    }
}

strata_status strata_fail(struct strata_error *err, strata_status status, const char *file,
                          uint32_t line, uint32_t column, const char *format, ...)
{
    if (!err)
        return status;
    va_list args;
    va_start(args, format);
    err->status = status;
    err->line = line;
    err->column = column;
    snprintf(err->file, sizeof err->file, "%s", file ? file : "");
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    clean_lines(err->message);
    return status;
}

strata_status strata_no_memory(struct strata_error *err, const char *file, const char *purpose, ...)
{
    char text[256] = "";
    va_list args;
    va_start(args, purpose);
    if (purpose)
        vsnprintf(text, sizeof text, purpose, args);
    va_end(args);
    return strata_fail(err, STRATA_ENOMEM, file, 0, 0, "there is no memory left%s%s.",
                       purpose ? " " : "", text);
}

void strata_error_text(const struct strata_error *err, char *out, uint64_t size)
{
    if (!err->file[0])
        snprintf(out, size, "%s", err->message);
    else if (!err->line)
        snprintf(out, size, "%s: %s", err->file, err->message);
    else if (!err->column)
        snprintf(out, size, "%s:%u: %s", err->file, err->line, err->message);
    else
        snprintf(out, size, "%s:%u:%u: %s", err->file, err->line, err->column, err->message);
}
