/* dissect_cuda.c - finds or builds the probe, runs it, loads what it wrote. */
#include "dissect_cuda.h"

#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool runs(const char *path)
{
    return access(path, X_OK) == 0;
}

/* A program of that name in PATH. */
static bool in_path(const char *name, char *out, size_t size)
{
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t n = strcspn(path, ":");
        snprintf(out, size, "%.*s/%s", (int)n, path, name);
        if (n && runs(out))
            return true;
        path += n + (path[n] == ':');
    }
    return false;
}

static bool find_compiler(char *out, size_t size)
{
    if (in_path("nvcc", out, size))
        return true;
    snprintf(out, size, "/usr/local/cuda/bin/nvcc");
    return runs(out);
}

/* Runs a program with its output on standard error: standard output belongs to the answers. */
static strata_status run_program(char *const argv[], struct strata_error *err)
{
    posix_spawn_file_actions_t files;
    pid_t child;
    int status = 0;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, 2, 1);
    int failed = posix_spawn(&child, argv[0], &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    if (failed)
        return strata_fail(err, STRATA_EUNSUPPORTED, argv[0], 0, 0,
                           "the program cannot be started: %s.", strerror(failed));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        return strata_fail(err, STRATA_EUNSUPPORTED, argv[0], 0, 0,
                           "the program ended with status %d; its messages stand above.",
                           WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return STRATA_OK;
}

static strata_status need_driver(struct strata_error *err)
{
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY);
    if (!driver)
        return strata_fail(err, STRATA_EUNSUPPORTED, NULL, 0, 0,
                           "There is no NVIDIA driver on this machine (libcuda.so.1 cannot be "
                           "loaded), so that the probe cannot run; "
                           "use --target model:GPU, or --from with data of another machine.");
    dlclose(driver);
    return STRATA_OK;
}

/* The probe's program: given, in PATH, or built now into `folder`. */
static strata_status find_probe(const char *given, const char *folder, char *out, size_t size,
                                struct strata_error *err)
{
    char compiler[4096], script[4096];
    if (given || in_path("strata-probe", out, size)) {
        if (given)
            snprintf(out, size, "%s", given);
        return runs(out) ? STRATA_OK
                         : strata_fail(
                               err, STRATA_EUNSUPPORTED, out, 0, 0,
                               "there is no such program; device/probe/build.sh builds the probe.");
    }
    snprintf(script, sizeof script, "%s/../device/probe/build.sh", STRATA_SOURCE_GPUS);
    if (!runs(script))
        return strata_fail(err, STRATA_EUNSUPPORTED, NULL, 0, 0,
                           "There is no program strata-probe in PATH; build it with "
                           "device/probe/build.sh of the source folder and name it with --probe.");
    if (!find_compiler(compiler, sizeof compiler))
        return strata_fail(err, STRATA_EUNSUPPORTED, NULL, 0, 0,
                           "There is no CUDA compiler (nvcc) to build the probe with; install the "
                           "CUDA toolkit, or name a probe built elsewhere with --probe.");
    snprintf(out, size, "%s/strata-probe", folder);
    char *argv[] = {script, out, NULL};
    return run_program(argv, err);
}

static void remove_folder(const struct strata_probe_set *set, const char *folder, bool data)
{
    char path[4096];
    for (size_t i = 0; data && i < set->n_series; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, set->series[i].file);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/manifest.json", folder);
    if (data)
        unlink(path);
    snprintf(path, sizeof path, "%s/strata-probe", folder);
    unlink(path);
    rmdir(folder);
}

strata_status dissect_cuda(const char *program, const char *keep, struct strata_probe_set *out,
                           struct strata_error *err)
{
    char folder[] = "/tmp/strata-dissect-XXXXXX", probe[4096], data[4096];
    strata_status st = need_driver(err);
    if (st != STRATA_OK)
        return st;
    if (!mkdtemp(folder))
        return strata_fail(err, STRATA_EIO, folder, 0, 0, "the folder cannot be made: %s.",
                           strerror(errno));
    snprintf(data, sizeof data, "%s", keep ? keep : folder);
    if (keep && mkdir(keep, 0777) && errno != EEXIST)
        st = strata_fail(err, STRATA_EIO, keep, 0, 0, "the folder cannot be made: %s.",
                         strerror(errno));
    if (st == STRATA_OK)
        st = find_probe(program, folder, probe, sizeof probe, err);
    if (st == STRATA_OK) {
        char *argv[] = {probe, "--out", data, NULL};
        st = run_program(argv, err);
    }
    if (st == STRATA_OK)
        st = strata_probe_load(data, out, err);
    remove_folder(out, folder, !keep);
    return st;
}
