/* output.c - temporary file, then rename. */
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

strata_status output_open(struct output *o, const char *path, struct strata_error *err)
{
    memset(o, 0, sizeof *o);
    if (!path || !strcmp(path, "-")) {
        o->stream = stdout;
        return STRATA_OK;
    }
    if (asprintf(&o->temporary, "%s.tmp.%ld", path, (long)getpid()) < 0)
        o->temporary = NULL;
    o->final_path = strdup(path);
    if (!o->temporary || !o->final_path) {
        output_discard(o);
        return strata_fail(err, STRATA_ENOMEM, path, 0, 0, "there is no memory left for the output's name.");
    }
    o->stream = fopen(o->temporary, "w");
    if (o->stream)
        return STRATA_OK;
    int why = errno;
    free(o->temporary);
    o->temporary = NULL;
    output_discard(o);
    return strata_fail(err, STRATA_EIO, path, 0, 0,
                       "the output cannot be written: %s; choose another place with -o.", strerror(why));
}

strata_status output_commit(struct output *o, struct strata_error *err)
{
    if (!o->final_path) {
        if (fflush(stdout) || ferror(stdout))
            return strata_fail(err, STRATA_EIO, "standard output", 0, 0, "the result could not be written: %s.",
                               strerror(errno));
        return STRATA_OK;
    }
    bool bad = ferror(o->stream);
    bad |= fclose(o->stream) != 0;
    o->stream = NULL;
    if (!bad && !rename(o->temporary, o->final_path)) {
        free(o->temporary);
        free(o->final_path);
        memset(o, 0, sizeof *o);
        return STRATA_OK;
    }
    strata_fail(err, STRATA_EIO, o->final_path, 0, 0,
                "the result could not be written: %s; nothing was left under that name.", strerror(errno));
    output_discard(o);
    return STRATA_EIO;
}

void output_discard(struct output *o)
{
    if (o->stream && o->final_path)
        fclose(o->stream);
    if (o->temporary)
        unlink(o->temporary);
    free(o->temporary);
    free(o->final_path);
    memset(o, 0, sizeof *o);
}
