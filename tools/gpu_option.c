/* gpu_option.c - --gpu and --set. */
#include "gpu_option.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What was installed or unpacked elsewhere than it was built for lies beside the program. */
static strata_status add_own_folders(struct strata_error *err)
{
    static const char *const places[] = {"../share/strata/gpus", "gpus"};
    char self[PATH_MAX], folder[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n < 0 ? 0 : n] = 0;
    char *slash = strrchr(self, '/');
    strata_status status = STRATA_OK;
    for (size_t i = 0; slash && status == STRATA_OK && i < sizeof places / sizeof places[0]; i++) {
        *slash = 0;
        if (snprintf(folder, sizeof folder, "%s/%s", self, places[i]) < (int)sizeof folder &&
            !access(folder, R_OK | X_OK))
            status = strata_gpu_add_path(folder, err);
    }
    return status;
}

strata_status add_gpu_paths(struct strata_error *err)
{
    /* Added to the front, so the last one added is searched first. */
    strata_status status = strata_gpu_add_path(STRATA_DATADIR "/gpus", err);
    if (status == STRATA_OK && *STRATA_SOURCE_GPUS) /* empty in a build that is installed */
        status = strata_gpu_add_path(STRATA_SOURCE_GPUS, err);
    if (status == STRATA_OK)
        status = add_own_folders(err);
    const char *list = getenv("STRATA_GPU_PATH");
    size_t end = list ? strlen(list) : 0;
    while (status == STRATA_OK && end > 0) {
        size_t start = end;
        while (start > 0 && list[start - 1] != ':')
            start--;
        char *folder = strndup(list + start, end - start);
        if (!folder)
            return strata_no_memory(err, "STRATA_GPU_PATH", "for its folders");
        if (*folder)
            status = strata_gpu_add_path(folder, err);
        free(folder);
        end = start > 0 ? start - 1 : 0;
    }
    return status;
}

static strata_status apply(struct strata_gpu *gpu, const char *assignment, struct strata_error *err)
{
    const char *equals = strchr(assignment, '=');
    if (!equals)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0, "--set takes key=value, not \"%.80s\".",
                           assignment);
    char *key = strndup(assignment, (size_t)(equals - assignment));
    if (!key)
        return strata_no_memory(err, NULL, "for --set");
    strata_status status = strata_gpu_override(gpu, key, equals + 1, err);
    free(key);
    return status;
}

strata_status load_gpu(const char *name, const struct option_list *sets, struct strata_gpu *gpu,
                       struct strata_error *err)
{
    strata_status status = add_gpu_paths(err);
    if (status == STRATA_OK)
        status = strata_gpu_load(name, gpu, err);
    for (size_t i = 0; status == STRATA_OK && sets && i < sets->n; i++)
        status = apply(gpu, sets->item[i], err);
    if (status == STRATA_OK && sets && sets->n)
        status = strata_gpu_validate(gpu, name, err);
    return status;
}
