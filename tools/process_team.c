/* process_team.c - finds out whether mpirun started this process, and loads what talks to the
 * others.
 */
#include "process_team.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct process_team {
    void *library;
    struct strata_team members;
    void (*leave)(struct strata_team *members);
};

/* The number of processes, as Open MPI, MPICH and Slurm tell. */
static bool started_by_mpi(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (getenv(names[i]) && atoi(getenv(names[i])) > 1)
            return true;
    return false;
}

int process_team_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
    for (size_t i = 0; started_by_mpi() && i < sizeof names / sizeof names[0]; i++)
        if (getenv(names[i]))
            return atoi(getenv(names[i]));
    return 0;
}

static void *load_from(const char *folder, char *why, size_t size)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/strata-mpi.so", folder) >= (int)sizeof path ||
        access(path, R_OK))
        return NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        snprintf(why, size, " (%s)", dlerror());
    return library;
}

/* Beside this executable in the build folder, or where it was installed. */
static void *load_library(char *why, size_t size)
{
    static const char *const places[] = {"../src/explore/mpi", STRATA_LIBDIR_FROM_BIN};
    char self[PATH_MAX], folder[PATH_MAX];
    void *library = NULL;
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n < 0 ? 0 : n] = 0;
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    for (size_t i = 0; slash && !library && i < sizeof places / sizeof places[0]; i++)
        if (snprintf(folder, sizeof folder, "%s/%s", self, places[i]) < (int)sizeof folder)
            library = load_from(folder, why, size);
    return library ? library : load_from(STRATA_LIBDIR, why, size);
}

strata_status process_team_join(struct process_team **team, struct strata_team **members,
                                struct strata_error *err)
{
    char why[512] = "";
    *team = NULL;
    *members = NULL;
    if (!started_by_mpi())
        return STRATA_OK;
    struct process_team *t = calloc(1, sizeof *t);
    if (!t)
        return strata_no_memory(err, NULL, NULL);
    t->library = load_library(why, sizeof why);
    strata_status (*join)(struct strata_team *, struct strata_error *) = NULL;
    if (t->library) {
        *(void **)&join = dlsym(t->library, "strata_mpi_join");
        *(void **)&t->leave = dlsym(t->library, "strata_mpi_leave");
    }
    if (!join || !t->leave) {
        free(t);
        return strata_fail(err, STRATA_EUNSUPPORTED, NULL, 0, 0,
                           "mpirun started this command, but this build cannot use MPI%s; install "
                           "libopenmpi-dev and build again.",
                           why);
    }
    strata_status status = join(&t->members, err);
    if (status != STRATA_OK) {
        free(t);
        return status;
    }
    *team = t;
    *members = &t->members;
    return STRATA_OK;
}

void process_team_leave(struct process_team *team)
{
    if (!team)
        return;
    team->leave(&team->members);
    free(team); /* the library stays: MPI does not like to be unloaded */
}
