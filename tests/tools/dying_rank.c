/* dying_rank.c - a process of `mpirun ... strata predict` that asks for work, gets some and dies.
 * Argument: strata-mpi.so. Prints nothing; ends with 1 if it was given nothing. */
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>

#include <strata/team.h>

int main(int argc, char **argv)
{
    struct strata_team team;
    struct strata_error err;
    strata_status (*join)(struct strata_team *, struct strata_error *) = NULL;
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL, *data = NULL;
    if (library)
        *(void **)&join = dlsym(library, "strata_mpi_join");
    uint64_t number = 0; /* no answers yet */
    size_t length;
    int from;
    memset(&team, 0, sizeof team);
    if (!join || join(&team, &err) != STRATA_OK ||
        team.send(team.context, 0, &number, sizeof number, &err) != STRATA_OK ||
        team.receive(team.context, &from, &data, &length, &err) != STRATA_OK ||
        length != sizeof number)
        return 1;
    memcpy(&number, data, sizeof number);
    if (!number)
        return 1;
    raise(SIGKILL);
    return 0;
}
