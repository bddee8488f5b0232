/* gpu_import_text.c - the text of a gpgpusim.config: options and their values. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "gpu/gpu_import.h"

struct scanner {
    const char *at, *end;
    uint32_t line, column;
};

static void advance(struct scanner *s)
{
    s->column = *s->at == '\n' ? 1 : s->column + 1;
    s->line += *s->at++ == '\n';
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_blank(struct scanner *s)
{
    while (s->at < s->end && (is_space(*s->at) || *s->at == '#')) {
        if (*s->at == '#')
            while (s->at < s->end && *s->at != '\n')
                advance(s);
        else
            advance(s);
    }
}

/* An option starts with a dash and a letter; "-1" is a value. */
static bool at_option(const struct scanner *s)
{
    return s->end - s->at >= 2 && s->at[0] == '-' && isalpha((unsigned char)s->at[1]);
}

/* The next word; a quoted one may span lines and loses its white space. NULL if memory ran out. */
static char *read_word(struct scanner *s, bool *closed)
{
    char quote = *s->at == '"' || *s->at == '\'' ? *s->at : 0;
    const char *start = s->at;
    *closed = true;
    if (quote)
        advance(s);
    while (s->at < s->end && (quote ? *s->at != quote : !is_space(*s->at) && *s->at != '#'))
        advance(s);
    char *word = malloc((size_t)(s->at - start) + 1), *out = word;
    for (const char *c = start + (quote != 0); word && c < s->at; c++)
        if (!is_space(*c) && *c)
            *out++ = *c;
    if (word)
        *out = 0;
    if (quote && s->at < s->end)
        advance(s);
    else if (quote)
        *closed = false;
    return word;
}

static strata_status out_of_memory(const char *file, struct strata_error *err)
{
    return strata_no_memory(err, file, "to read the file");
}

/* Takes both words over, also when it fails. */
static bool keep(struct gpgpusim_options *options, struct gpgpusim_option new)
{
    for (size_t i = 0; i < options->n; i++) {
        struct gpgpusim_option *old = &options->item[i];
        if (strcmp(old->name, new.name))
            continue;
        free(old->name);
        free(old->value);
        *old = new;
        return true;
    }
    if (!ARRAY_RESERVE(options->item, options->n, options->capacity, 1)) {
        free(new.name);
        free(new.value);
        return false;
    }
    options->item[options->n++] = new;
    return true;
}

static strata_status read_option(struct scanner *s, const char *file, struct gpgpusim_options *out,
                                 struct strata_error *err)
{
    bool closed;
    struct gpgpusim_option o = {.line = s->line, .column = s->column};
    o.name = read_word(s, &closed);
    if (!o.name)
        return out_of_memory(file, err);
    skip_blank(s);
    strata_status status = STRATA_OK;
    if (s->at == s->end || at_option(s))
        status = strata_fail(err, STRATA_EFORMAT, file, o.line, o.column,
                             "the option %.80s has no value; is the file complete?", o.name);
    if (status == STRATA_OK) {
        o.line = s->line;
        o.column = s->column;
        o.value = read_word(s, &closed);
        status = o.value ? STRATA_OK : out_of_memory(file, err);
    }
    if (status == STRATA_OK && !closed)
        status = strata_fail(err, STRATA_EFORMAT, file, o.line, o.column,
                             "the quote that opens here is not closed.");
    if (status == STRATA_OK)
        return keep(out, o) ? STRATA_OK : out_of_memory(file, err);
    free(o.name);
    free(o.value);
    return status;
}

strata_status gpgpusim_options_read(const char *text, size_t length, const char *file,
                                    struct gpgpusim_options *out, struct strata_error *err)
{
    struct scanner s = {text, text + length, 1, 1};
    strata_status status = STRATA_OK;
    memset(out, 0, sizeof *out);
    for (skip_blank(&s); status == STRATA_OK && s.at < s.end; skip_blank(&s)) {
        if (!at_option(&s))
            return strata_fail(
                err, STRATA_EFORMAT, file, s.line, s.column,
                "an option such as -gpgpu_n_mem belongs here; is this a gpgpusim.config?");
        status = read_option(&s, file, out, err);
    }
    return status;
}

void gpgpusim_options_release(struct gpgpusim_options *options)
{
    for (size_t i = 0; i < options->n; i++) {
        free(options->item[i].name);
        free(options->item[i].value);
    }
    free(options->item);
    memset(options, 0, sizeof *options);
}
