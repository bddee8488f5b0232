/* stdin_trace.c - standard input as a file. */
#include "stdin_trace.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interrupt.h"

/* The trace lies in a folder "stdin", which is the program's name then. */
static char folder[PATH_MAX - 16], inner[PATH_MAX - 8], file[PATH_MAX];

static void remove_copy(void)
{
    unlink(file);
    rmdir(inner);
    rmdir(folder);
}

static strata_status refuse(int why, struct strata_error *err)
{
    return strata_fail(err, STRATA_EIO, "standard input", 0, 0,
                       "the trace cannot be kept in %s: %s; set TMPDIR to a folder with room.",
                       folder, strerror(why));
}

static strata_status copy(FILE *out, struct strata_error *err)
{
    static char chunk[1 << 16];
    size_t n, total = 0;
    while ((n = fread(chunk, 1, sizeof chunk, stdin)) > 0 && fwrite(chunk, 1, n, out) == n)
        total += n;
    bool bad = ferror(out);
    bad |= fclose(out) != 0;
    if (bad)
        return refuse(errno, err);
    if (ferror(stdin) || !total)
        return strata_fail(err, STRATA_EIO, "standard input", 0, 0,
                           "no trace came through it; pipe one in, or name a file.");
    return STRATA_OK;
}

strata_status stdin_trace(const char **path, struct strata_error *err)
{
    const char *where = getenv("TMPDIR");
    if (*file)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "- stands for one trace, and was given twice.");
    if (snprintf(folder, sizeof folder, "%s/strata-XXXXXX", where && *where ? where : "/tmp") >=
            (int)sizeof folder ||
        !mkdtemp(folder))
        return refuse(errno, err);
    interrupt_removes(folder);
    atexit(remove_copy);
    *path = file;
    snprintf(inner, sizeof inner, "%s/stdin", folder);
    snprintf(file, sizeof file, "%s/trace", inner);
    if (mkdir(inner, 0700))
        return refuse(errno, err);
    FILE *out = fopen(file, "wb");
    return out ? copy(out, err) : refuse(errno, err);
}
