/* compile.c - PTX to machine code by the user's own ptxas. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <strata/ptx.h>

#include "base/file.h"

#define MAX_CUBIN_BYTES ((size_t)1 << 30)
#define MAX_LOG_BYTES   ((size_t)1 << 20)

/* What one compilation keeps on disk, in a folder of its own. */
struct workshop {
    char folder[64], ptx[96], cubin[96], log[96];
};

static strata_status open_workshop(struct workshop *w, struct strata_error *err)
{
    snprintf(w->folder, sizeof w->folder, "%s/strata-XXXXXX", P_tmpdir);
    if (!mkdtemp(w->folder))
        return strata_fail(err, STRATA_EIO, w->folder, 0, 0,
                           "no folder can be made to compile PTX in: %s.", strerror(errno));
    snprintf(w->ptx, sizeof w->ptx, "%s/code.ptx", w->folder);
    snprintf(w->cubin, sizeof w->cubin, "%s/code.cubin", w->folder);
    snprintf(w->log, sizeof w->log, "%s/log", w->folder);
    return STRATA_OK;
}

static void close_workshop(const struct workshop *w)
{
    unlink(w->ptx);
    unlink(w->cubin);
    unlink(w->log);
    rmdir(w->folder);
}

static strata_status write_text(const struct workshop *w, const struct strata_ptx_source *source,
                                struct strata_error *err)
{
    FILE *f = fopen(w->ptx, "wb");
    size_t length = strnlen(source->text, source->length);
    bool ok = f && fwrite(source->text, 1, length, f) == length;
    ok = f && !fclose(f) && ok;
    return ok ? STRATA_OK
              : strata_fail(err, STRATA_EIO, w->ptx, 0, 0, "PTX cannot be written: %s.",
                            strerror(errno));
}

/* Nothing of the caller's environment: libraries loaded into it do not belong into a compiler. A
 * program that ignores its children's ends gets no status; the cubin tells then. */
static int run_ptxas(const struct workshop *w, const char *ptxas, const char *arch)
{
    char *argv[] = {(char *)(uintptr_t)ptxas,
                    "-arch",
                    (char *)(uintptr_t)arch,
                    "-o",
                    (char *)(uintptr_t)w->cubin,
                    (char *)(uintptr_t)w->ptx,
                    NULL};
    char *environment[] = {NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, w->log, O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    int why = posix_spawn(&pid, ptxas, &actions, NULL, argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    if (why)
        return why;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return 0;
}

/* The first line in which ptxas names an error. */
static void first_complaint(const struct workshop *w, char *out, size_t size)
{
    char *text = NULL;
    size_t length;
    snprintf(out, size, "it gives no reason");
    if (strata_file_read(w->log, MAX_LOG_BYTES, &text, &length, NULL) != STRATA_OK)
        return;
    const char *line = strstr(text, "error");
    line = line ? line : text;
    while (line > text && line[-1] != '\n')
        line--;
    if (length)
        snprintf(out, size, "%.*s", (int)strcspn(line, "\n"), line);
    free(text);
}

void strata_ptx_arch(uint32_t sm_version, char arch[16])
{
    snprintf(arch, 16, "sm_%u%s", sm_version, sm_version >= 90 ? "a" : "");
}

strata_status strata_ptx_compile(const struct strata_ptx_source *source, const char *ptxas,
                                 uint32_t sm_version, char **cubin, size_t *length,
                                 struct strata_error *err)
{
    struct workshop w;
    char complaint[400], arch[16];
    *cubin = NULL;
    strata_ptx_arch(sm_version, arch);
    strata_status status = open_workshop(&w, err);
    if (status != STRATA_OK)
        return status;
    status = write_text(&w, source, err);
    if (status == STRATA_OK) {
        int why = run_ptxas(&w, ptxas, arch);
        first_complaint(&w, complaint, sizeof complaint);
        if (why)
            status = strata_fail(err, STRATA_EIO, ptxas, 0, 0,
                                 "the compiler cannot be started: %s.", strerror(why));
        else if (strata_file_read(w.cubin, MAX_CUBIN_BYTES, cubin, length, NULL) != STRATA_OK)
            status = strata_fail(err, STRATA_EUNSUPPORTED, source->name, 0, 0,
                                 "ptxas does not compile it for %s: %s", arch, complaint);
    }
    close_workshop(&w);
    return status;
}
