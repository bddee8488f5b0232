/* cells.h - what stands in the fields of a profiler's table. */
#ifndef STRATA_CORRELATE_CELLS_H
#define STRATA_CORRELATE_CELLS_H

#include <stdbool.h>
#include <stdint.h>
#include <strata/trace.h>

enum cell_kind { CELL_NUMBER, CELL_UNKNOWN, CELL_WORDS };

/* "1,234,567", "12.5", "98 (32; 66)" (the sum before its instances) are numbers; "", "n/a", "nan"
 * are unknown; all else are words, "1,5" too: whether that is a decimal comma cannot be told. */
enum cell_kind strata_cell_number(const char *text, double *out);
/* "(128, 1, 1)", "128,1,1" or "128x1x1"; false if it is none of them. */
bool strata_cell_dim3(const char *text, struct strata_dim3 *out);
/* Decimal digits only. */
bool strata_cell_id(const char *text, uint64_t *out);
/* Nsight Compute's name for what its details page calls "Elapsed Cycles"; the text itself if it is
 * not one of those. */
const char *strata_metric_of_label(const char *text);

#endif
