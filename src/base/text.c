/* text.c - growing text. */
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void strata_text_release(struct strata_text *t)
{
    free(t->data);
    memset(t, 0, sizeof *t);
}

void strata_text_put_bytes(struct strata_text *t, const char *bytes, size_t length)
{
    if (t->out_of_memory || !ARRAY_RESERVE(t->data, t->length, t->cap, length + 1)) {
        t->out_of_memory = true;
        return;
    }
    memcpy(t->data + t->length, bytes, length);
    t->length += length;
    t->data[t->length] = 0;
}

void strata_text_put(struct strata_text *t, const char *words)
{
    strata_text_put_bytes(t, words, strlen(words));
}

void strata_text_style(struct strata_text *t, enum strata_text_style style)
{
    if (t->coloured)
        strata_text_printf(t, "\033[%dm", (int)style);
}

void strata_text_printf(struct strata_text *t, const char *format, ...)
{
    char small[256];
    va_list args;
    va_start(args, format);
    int need = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (need < 0) {
        t->out_of_memory = true;
    } else if ((size_t)need < sizeof small) {
        strata_text_put_bytes(t, small, (size_t)need);
    } else if (t->out_of_memory || !ARRAY_RESERVE(t->data, t->length, t->cap, (size_t)need + 1)) {
        t->out_of_memory = true;
    } else {
        va_start(args, format);
        vsnprintf(t->data + t->length, (size_t)need + 1, format, args);
        va_end(args);
        t->length += (size_t)need;
    }
}

/* Every whole number below 2^53 is one double and no other. */
static bool is_whole(double value)
{
    return fabs(value) < 9007199254740992.0 && value == floor(value);
}

void strata_text_put_number(struct strata_text *t, double value)
{
    char digits[40];
    if (is_whole(value)) {
        strata_text_printf(t, "%lld", (long long)value);
        return;
    }
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    strata_text_put(t, digits);
}

/* Length of the UTF-8 character at s (1 to 4), 0 if it is not one or does not fit. */
static size_t utf8_length(const unsigned char *s, size_t left)
{
    if (s[0] < 0x80)
        return 1;
    size_t n = s[0] >= 0xc2 && s[0] < 0xe0   ? 2
               : (s[0] & 0xf0) == 0xe0       ? 3
               : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                             : 0;
    if (n > left)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    /* overlong forms, surrogates and what lies beyond U+10FFFF */
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90))
        return 0;
    return n;
}

size_t strata_text_utf8_prefix(const char *data, size_t length)
{
    const unsigned char *s = (const unsigned char *)data;
    size_t good = 0;
    for (size_t n; good < length; good += n) {
        n = utf8_length(s + good, length - good);
        if (!n)
            break;
    }
    return good;
}

bool strata_text_is_utf8(const char *data, size_t length)
{
    return strata_text_utf8_prefix(data, length) == length;
}

/* Of the character of n bytes at s: C0, DEL and, as U+0080 to U+009F, C1. */
static bool is_control(const unsigned char *s, size_t n)
{
    return (n == 1 && (s[0] < 0x20 || s[0] == 0x7f)) || (n == 2 && s[0] == 0xc2 && s[1] < 0xa0);
}

void strata_text_clean(char *words)
{
    unsigned char *s = (unsigned char *)words;
    while (*s) {
        size_t n = utf8_length(s, 4); /* the final 0 ends any character */
        bool bad = !n || is_control(s, n);
        n += !n;
        if (bad)
            memset(s, '?', n);
        s += n;
    }
}

bool strata_text_is_clean(const char *words)
{
    const unsigned char *s = (const unsigned char *)words;
    for (size_t n; *s; s += n) {
        n = utf8_length(s, 4);
        if (!n || is_control(s, n))
            return false;
    }
    return true;
}

bool strata_text_is_formula(const char *words)
{
    char *end;
    if (!*words || !strchr("=+-@", *words) || !words[1])
        return false;
    strtod(words, &end);
    return *end != 0 || end == words;
}

void strata_text_put_json_string(struct strata_text *t, const char *words)
{
    const unsigned char *s = (const unsigned char *)words;
    strata_text_put(t, "\"");
    while (*s) {
        size_t n = utf8_length(s, 4); /* the final 0 ends any character */
        if (*s == '"' || *s == '\\')
            strata_text_printf(t, "\\%c", *s);
        else if (*s == '\n')
            strata_text_put(t, "\\n");
        else if (*s == '\t')
            strata_text_put(t, "\\t");
        else if (*s < 0x20 || *s == 0x7f)
            strata_text_printf(t, "\\u%04x", *s);
        else if (n)
            strata_text_put_bytes(t, (const char *)s, n);
        else
            strata_text_put(t, "\\ufffd");
        s += n ? n : 1;
    }
    strata_text_put(t, "\"");
}

void strata_text_put_json_strings(struct strata_text *t, const char *name, char *const *item,
                                  size_t n)
{
    strata_text_put_json_string(t, name);
    strata_text_put(t, ": [");
    for (size_t j = 0; j < n; j++) {
        strata_text_put(t, j ? ", " : "");
        strata_text_put_json_string(t, item[j]);
    }
    strata_text_put(t, "]");
}

void strata_text_put_csv_field(struct strata_text *t, const char *words)
{
    bool formula = strata_text_is_formula(words);
    if (!words[strcspn(words, ",\"\r\n")]) {
        strata_text_put(t, formula ? "'" : "");
        strata_text_put(t, words);
        return;
    }
    strata_text_put(t, formula ? "\"'" : "\"");
    for (const char *s = words; *s; s++)
        strata_text_put_bytes(t, *s == '"' ? "\"\"" : s, *s == '"' ? 2 : 1);
    strata_text_put(t, "\"");
}

void strata_text_put_grouped(struct strata_text *t, double value)
{
    char digits[32];
    bool whole = is_whole(value);
    if (!whole && (fabs(value) < 1000 || fabs(value) >= 1e15)) {
        strata_text_printf(t, "%.6g", value);
        return;
    }
    double tenths = whole ? 0 : round(fabs(value) * 10); /* large fractions keep one digit */
    int n = snprintf(digits, sizeof digits, "%.0f", whole ? fabs(value) : floor(tenths / 10));
    if (value < 0)
        strata_text_put(t, "-");
    for (int i = 0; i < n; i++) {
        strata_text_put_bytes(t, &digits[i], 1);
        if ((n - 1 - i) % 3 == 0 && i != n - 1)
            strata_text_put(t, ",");
    }
    if (!whole)
        strata_text_printf(t, ".%d", (int)fmod(tenths, 10));
}
