/* source_text.c - lines of a source file. */
#include "source_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/trace.h>

#include "print.h"

enum { LARGEST_BYTES = 16 << 20 };

const char *source_text_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

static char *read_all(const char *path)
{
    FILE *f = path ? fopen(path, "r") : NULL;
    char *data = f ? malloc(LARGEST_BYTES + 1) : NULL;
    size_t n = data ? fread(data, 1, LARGEST_BYTES, f) : 0;
    if (f)
        fclose(f);
    if (data)
        data[n] = 0;
    if (n && !memchr(data, 0, n))
        return data;
    free(data);
    return NULL;
}

static size_t split(const char *data, const char **line)
{
    size_t n = 0;
    for (const char *p = data; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL) {
        if (line)
            line[n] = p;
        n++;
    }
    return n;
}

void source_text_load(struct source_text *s, const char *path, const char *folder)
{
    char *beside = NULL;
    memset(s, 0, sizeof *s);
    if (path && folder && asprintf(&beside, "%s/%s", folder, source_text_name(path)) >= 0)
        s->data = read_all(beside);
    free(beside);
    if (!s->data)
        s->data = read_all(path);
    if (!s->data)
        return;
    s->line = calloc(split(s->data, NULL) + 1, sizeof *s->line);
    if (s->line)
        s->n_lines = split(s->data, s->line);
}

void source_text_release(struct source_text *s)
{
    free(s->data);
    free(s->line);
    memset(s, 0, sizeof *s);
}

const char *source_text_line(const struct source_text *s, uint32_t line, char *out, size_t size)
{
    size_t n = 0;
    if (line && line <= s->n_lines) {
        const char *p = s->line[line - 1];
        while (*p == ' ' || *p == '\t')
            p++;
        for (; *p && *p != '\n' && n + 1 < size; p++)
            out[n++] = (unsigned char)*p < ' ' ? ' ' : *p;
        while (n && isspace((unsigned char)out[n - 1]))
            n--;
    }
    out[n] = 0;
    return out;
}

void print_inlined(FILE *f, const char *inlined)
{
    struct strata_inlined x;
    while (strata_inlined_next(&inlined, &x))
        fprintf(f, STRATA_INLINED_ARROW "%.*s", (int)x.name_length, x.name);
}

void print_json_inlined(FILE *f, const char *inlined)
{
    struct strata_inlined x;
    for (const char *comma = "["; strata_inlined_next(&inlined, &x); comma = ", ") {
        char *words = strndup(x.place, x.place_length);
        fputs(comma, f);
        print_json_string(f, words ? words : "");
        free(words);
    }
    fputc(']', f);
}
