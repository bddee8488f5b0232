/* text.h - a growing text and the few ways our writers put things into it.
 *
 * Adders never fail loudly: running out of memory sets a flag that the owner
 * looks at once, when the text is complete. */
#ifndef STRATA_BASE_TEXT_H
#define STRATA_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <strata/status.h>

struct strata_text {
    char *data; /* ends with a 0 once anything was put in */
    size_t length, cap;
    bool out_of_memory;
    bool coloured; /* for a terminal: styles are written */
};

void strata_text_release(struct strata_text *t);
void strata_text_put(struct strata_text *t, const char *words);
void strata_text_put_bytes(struct strata_text *t, const char *bytes, size_t length);
void strata_text_printf(struct strata_text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* How words look on a terminal from here on: nothing unless the text is coloured. */
enum strata_text_style {
    STRATA_PLAIN = 0,
    STRATA_BOLD = 1,
    STRATA_QUIET = 2,
    STRATA_RED = 31,
    STRATA_GREEN = 32,
    STRATA_YELLOW = 33
};
void strata_text_style(struct strata_text *t, enum strata_text_style style);
/* Whole numbers without a point or an exponent, others with the fewest digits that give the same
 * double back. NaN and infinity have no spelling in JSON and CSV: callers leave them out. */
void strata_text_put_number(struct strata_text *t, double value);
/* With the quotes around it; bytes that are not UTF-8 become U+FFFD, as JSON allows no others. */
void strata_text_put_json_string(struct strata_text *t, const char *words);
/* "name": ["first", "second"] */
void strata_text_put_json_strings(struct strata_text *t, const char *name, char *const *item,
                                  size_t n);
/* Text in the one encoding all our files have. */
bool strata_text_is_utf8(const char *data, size_t length);
/* The number of bytes at the start that are whole characters of it. */
size_t strata_text_utf8_prefix(const char *data, size_t length);
/* Makes a name from outside fit to be shown: control characters, which a terminal would obey, and
 * bytes that are not UTF-8 become '?'. */
void strata_text_clean(char *words);
bool strata_text_is_clean(const char *words);
/* Quoted only where the field needs it. What is a formula (strata/status.h) gets an apostrophe in
 * front, which makes it text.
 */
void strata_text_put_csv_field(struct strata_text *t, const char *words);
/* With a comma between groups of three: 1,234,567; for people, so fractions are rounded. */
void strata_text_put_grouped(struct strata_text *t, double value);

#endif
