/* output.c - temporary file, then rename. */
#include "output.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <strata/files.h>

#include "interrupt.h"

static strata_status refuse(const char *path, int why, struct strata_error *err)
{
    return strata_fail(err, STRATA_EIO, *path ? path : "\"\"", 0, 0,
                       "the output cannot be written: %s; choose another place.", strerror(why));
}

strata_status output_check(const char *path, struct strata_error *err)
{
    struct stat info;
    if (!path || !strcmp(path, "-"))
        return STRATA_OK;
    if (!*path)
        return refuse(path, ENOENT, err);
    if (!stat(path, &info) && S_ISDIR(info.st_mode))
        return refuse(path, EISDIR, err);
    if (strata_path_is_special(path))
        return STRATA_OK;
    const char *slash = strrchr(path, '/');
    char *folder = !slash ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
    int why = !folder ? ENOMEM : access(folder, W_OK | X_OK) ? errno : 0;
    free(folder);
    return why ? refuse(path, why, err) : STRATA_OK;
}

bool output_is_coloured(const char *path)
{
    const char *never = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return (!path || !strcmp(path, "-")) && isatty(STDOUT_FILENO) && !(never && *never) &&
           terminal && strcmp(terminal, "dumb");
}

strata_status output_open(struct output *o, const char *path, struct strata_error *err)
{
    memset(o, 0, sizeof *o);
    if (!path || !strcmp(path, "-")) {
        o->stream = stdout;
        return STRATA_OK;
    }
    strata_status status = output_check(path, err);
    if (status != STRATA_OK)
        return status;
    bool in_place = strata_path_is_special(path);
    o->temporary = in_place ? strdup(path) : strata_temporary_name(path);
    o->final_path = strdup(path);
    if (!o->temporary || !o->final_path) {
        output_discard(o);
        return strata_no_memory(err, path, "for the output's name");
    }
    if (!in_place)
        interrupt_removes(o->temporary);
    o->stream = in_place ? fopen(o->temporary, "w") : strata_temporary_open(o->temporary);
    int why = errno;
    if (in_place || !o->stream) {
        interrupt_forgets(o->temporary);
        free(o->temporary); /* there is nothing to rename or to remove */
        o->temporary = NULL;
    }
    if (o->stream)
        return STRATA_OK;
    output_discard(o);
    return refuse(path, why, err);
}

/* An error of the stream may be older than errno, so the reader's end is asked for itself. */
static bool reader_is_gone(int why)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    struct stat info;
    return why == EPIPE ||
           (!fstat(STDOUT_FILENO, &info) && (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode)) &&
            poll(&out, 1, 0) > 0 && out.revents & (POLLERR | POLLHUP));
}

void end_if_pipe_closed(int why)
{
    if (!reader_is_gone(why))
        return;
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}

strata_status output_commit(struct output *o, struct strata_error *err)
{
    if (!o->final_path) {
        bool lost = fflush(stdout) || ferror(stdout);
        int why = errno;
        if (lost)
            end_if_pipe_closed(why);
        return lost ? strata_fail(err, STRATA_EIO, "standard output", 0, 0,
                                  "the result could not be written: %s.", strerror(why))
                    : STRATA_OK;
    }
    bool bad = ferror(o->stream);
    bad |= fclose(o->stream) != 0;
    o->stream = NULL;
    if (!bad && (!o->temporary || !rename(o->temporary, o->final_path))) {
        interrupt_forgets(o->temporary);
        free(o->temporary);
        free(o->final_path);
        memset(o, 0, sizeof *o);
        return STRATA_OK;
    }
    strata_fail(err, STRATA_EIO, o->final_path, 0, 0,
                "the result could not be written: %s; nothing was left under that name.",
                strerror(errno));
    output_discard(o);
    return STRATA_EIO;
}

void output_discard(struct output *o)
{
    if (o->stream && o->final_path)
        fclose(o->stream);
    if (o->temporary)
        unlink(o->temporary);
    interrupt_forgets(o->temporary);
    free(o->temporary);
    free(o->final_path);
    memset(o, 0, sizeof *o);
}

strata_status output_text(const char *path, char *text, size_t length, struct strata_error *err)
{
    struct output out;
    strata_status status = output_open(&out, path, err);
    if (status == STRATA_OK) {
        fwrite(text, 1, length, out.stream);
        status = output_commit(&out, err);
    }
    free(text);
    return status;
}
