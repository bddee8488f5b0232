/* print.h - what the writers of comparisons share. */
#ifndef STRATA_CORRELATE_PRINT_H
#define STRATA_CORRELATE_PRINT_H

#include <strata/correlate.h>

#include "base/text.h"

#define STRATA_CORRELATION_SCHEMA "strata.correlation/1"

/* A number for people, right-aligned; NaN is "-". */
void strata_print_fixed(struct strata_text *t, double value, int width, int decimals);
void strata_print_grouped(struct strata_text *t, double value, int width);
/* A JSON number; NaN and infinity are null. A CSV number; they are empty. */
void strata_print_json_number(struct strata_text *t, double value);
void strata_print_csv_number(struct strata_text *t, double value);
/* "program/trace", or the kernel's name where there is no trace. */
void strata_print_launch(struct strata_text *t, const struct strata_result *launch);
/* With the kernel's name, for people (strata/kernel_name.h). */
void strata_print_launch_name(struct strata_text *t, const struct strata_result *launch);
/* Warnings as a JSON list under "warnings", preceded by a comma. */
void strata_print_json_warnings(struct strata_text *t, const struct strata_correlation *c);
/* Hands the text over, or says that memory ran out. */
strata_status strata_print_finish(struct strata_text *t, char **text, size_t *length,
                                  struct strata_error *err);

#endif
