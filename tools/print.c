/* print.c - text that goes into JSON and CSV. */
#include "print.h"

#include <string.h>
#include <strata/status.h>

bool parse_format(const char *word, enum format *out)
{
    static const char *const words[] = {"text", "csv", "json"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(word, words[i])) {
            *out = (enum format)i;
            return true;
        }
    return false;
}

void print_json_string(FILE *f, const char *text)
{
    fputc('"', f);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(f, "\\%c", *c);
        else if (*c < ' ')
            fprintf(f, "\\u%04x", *c);
        else
            fputc(*c, f);
    }
    fputc('"', f);
}

void print_csv_field(FILE *f, const char *text)
{
    const char *shield = strata_text_is_formula(text) ? "'" : "";
    if (!strpbrk(text, ",\"\r\n")) {
        fprintf(f, "%s%s", shield, text);
        return;
    }
    fprintf(f, "\"%s", shield);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', f);
        fputc(*text, f);
    }
    fputc('"', f);
}
