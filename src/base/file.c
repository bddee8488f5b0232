/* file.c - a whole input file in memory. */
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static strata_status read_stream(FILE *f, const char *path, size_t limit_bytes, char **data,
                                 size_t *length, struct strata_error *err)
{
    char *buffer = NULL;
    size_t n = 0, cap = 0, got = 1;
    while (got) {
        if (!ARRAY_RESERVE(buffer, n, cap, 65537)) {
            free(buffer);
            return strata_no_memory(err, path, "to read this file");
        }
        got = fread(buffer + n, 1, 65536, f);
        n += got;
        if (n > limit_bytes) {
            free(buffer);
            return strata_fail(
                err, STRATA_ELIMIT, path, 0, 0,
                "the file is larger than the %zu MB that are read at once; split it.",
                limit_bytes / 1000000);
        }
    }
    if (ferror(f)) {
        int why = errno;
        free(buffer);
        return strata_fail(err, STRATA_EIO, path, 0, 0, "the file cannot be read: %s.",
                           strerror(why));
    }
    buffer[n] = 0;
    *data = buffer;
    *length = n;
    return STRATA_OK;
}

strata_status strata_file_read(const char *path, size_t limit_bytes, char **data, size_t *length,
                               struct strata_error *err)
{
    if (!strcmp(path, "-"))
        return read_stream(stdin, "standard input", limit_bytes, data, length, err);
    FILE *f = fopen(path, "rb");
    if (!f)
        return strata_fail(err, STRATA_EIO, path, 0, 0,
                           "the file cannot be opened: %s; check the name.", strerror(errno));
    strata_status status = read_stream(f, path, limit_bytes, data, length, err);
    fclose(f);
    return status;
}
