/* print.h - text that goes into JSON and CSV, and tables for people. */
#ifndef STRATA_TOOLS_PRINT_H
#define STRATA_TOOLS_PRINT_H

#include <stdbool.h>
#include <stdio.h>

enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON };

/* text, csv or json. False if it is none of the three. */
bool parse_format(const char *word, enum format *out);

/* With the quotes. */
void print_json_string(FILE *f, const char *text);
/* Quoted only where CSV asks for it. */
void print_csv_field(FILE *f, const char *text);

#endif
