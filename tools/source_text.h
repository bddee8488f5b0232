/* source_text.h - lines of a source file, for people to look at. */
#ifndef STRATA_TOOLS_SOURCE_TEXT_H
#define STRATA_TOOLS_SOURCE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct source_text {
    char *data;
    const char **line; /* from 1; each ends at its newline */
    size_t n_lines;
};

/* Reads the file; one that is not there or too large leaves no lines, which is no error. `folder`
 * (NULL: none) is searched for the file's last name first. */
void source_text_load(struct source_text *s, const char *path, const char *folder);
void source_text_release(struct source_text *s);
/* The line without the blanks around it, cut to `size`; "" if it is not known. Returns `out`. */
const char *source_text_line(const struct source_text *s, uint32_t line, char *out, size_t size);
/* The last part of a path, NULL and "" stay. */
const char *source_text_name(const char *path);

/* Places of inlined code (strata/trace.h): for people, by their last names with an arrow ahead of
 * each (NULL: nothing), and as a JSON array (not of NULL). */
void print_inlined(FILE *f, const char *inlined);
void print_json_inlined(FILE *f, const char *inlined);

#endif
