/* cubin_kernels.c - registers and shared memory of the kernels in a cubin (strata/fatbin.h). */
#include <stdlib.h>
#include <string.h>
#include <strata/fatbin.h>

#include "sass/cubin.h"

strata_status strata_cubin_kernels(const void *bytes, size_t length, const char *name,
                                   struct strata_cubin_kernel **out, size_t *n,
                                   struct strata_error *err)
{
    struct sass_cubin c;
    *out = NULL;
    *n = 0;
    strata_status status = sass_cubin_open(&c, bytes, length, name, err);
    if (status)
        return status;
    struct strata_cubin_kernel *kernels = calloc(c.n_kernels ? c.n_kernels : 1, sizeof *kernels);
    size_t done = 0;
    for (uint32_t i = 0; kernels && i < c.n_kernels; i++) {
        const struct sass_kernel *k = &c.kernel[i];
        kernels[i] =
            (struct strata_cubin_kernel){strdup(k->name), k->registers, k->shared_static_bytes};
        if (!kernels[i].name)
            break;
        done++;
    }
    bool complete = kernels && done == c.n_kernels;
    sass_cubin_release(&c);
    if (!complete) {
        strata_cubin_kernels_free(kernels, done);
        return strata_no_memory(err, name, "for the kernels of a cubin");
    }
    *out = kernels;
    *n = done;
    return STRATA_OK;
}

void strata_cubin_kernels_free(struct strata_cubin_kernel *kernels, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(kernels[i].name);
    free(kernels);
}
