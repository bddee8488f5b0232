/* file.h - a whole input file in memory. */
#ifndef STRATA_BASE_FILE_H
#define STRATA_BASE_FILE_H

#include <stddef.h>
#include <strata/status.h>

/* Reads all of `path` ("-": standard input); *data is freed by the caller and has a 0 behind its
 * last byte. Anything above `limit_bytes` is refused. */
strata_status strata_file_read(const char *path, size_t limit_bytes, char **data, size_t *length,
                               struct strata_error *err);

#endif
