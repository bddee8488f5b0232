/* strata/result_file.h - results that are needed again later, in a temporary file without a name.
 *
 * A result takes 10 KB and more; of a program of many launches all of them would not fit into
 * memory. Where no temporary file can be had they are kept in memory all the same. */
#ifndef STRATA_RESULT_FILE_H
#define STRATA_RESULT_FILE_H

#include <stdint.h>
#include <strata/result.h>
#include <strata/status.h>

struct strata_result_file;

strata_status strata_result_file_create(struct strata_result_file **out, struct strata_error *err);
void strata_result_file_destroy(struct strata_result_file *f); /* NULL is allowed */
/* *place: where it lies, for _get. */
strata_status strata_result_file_add(struct strata_result_file *f, const struct strata_result *r,
                                     uint64_t *place, struct strata_error *err);
/* The same counters, details and warnings, of `launch`, which is that of the result. */
strata_status strata_result_file_get(struct strata_result_file *f, uint64_t place,
                                     const struct strata_launch *launch, struct strata_result *out,
                                     struct strata_error *err);

#endif
