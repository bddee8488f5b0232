/* ptxas.c - where the compiler of PTX is. */
#include "ptxas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_in(const char *folder, size_t length, const char *below, char path[PATH_MAX])
{
    return length &&
           snprintf(path, PATH_MAX, "%.*s%s/ptxas", (int)length, folder, below) < PATH_MAX &&
           !access(path, X_OK);
}

bool find_ptxas(char path[PATH_MAX], bool quiet)
{
    const char *folders = getenv("PATH"), *home = getenv("CUDA_HOME");
    for (size_t n; folders && *folders; folders += n + (folders[n] == ':')) {
        n = strcspn(folders, ":");
        if (is_in(folders, n, "", path))
            return true;
    }
    home = home && *home ? home : "/usr/local/cuda";
    if (is_in(home, strlen(home), "/bin", path))
        return true;
    if (!quiet)
        fprintf(stderr, "strata trace: --compile finds no ptxas (in PATH or in CUDA_HOME, else "
                        "/usr/local/cuda), so PTX runs as it is.\n");
    return false;
}
