/* module.h - a loaded module: parsed, linked and decoded. */
#ifndef STRATA_PTX_MODULE_H
#define STRATA_PTX_MODULE_H

#include "ptx/exec.h"

struct ptx_module {
    struct strata_module base;
    struct ptx_ast ast;
    struct ptx_image *images;        /* one per entry */
    struct ptx_function **functions; /* by id */
    size_t n_functions, cap_functions;
    const struct strata_module *beside; /* its variables are used where it has them; may be NULL */
};

/* Resolves names across units, places variables and applies initialisers. */
strata_status ptx_link(struct ptx_module *m, struct strata_error *err);
/* Decodes an entry and every function it can reach. */
strata_status ptx_decode(struct ptx_module *m, struct ptx_function *entry, struct ptx_image *image,
                         struct strata_error *err);
void ptx_image_release(struct ptx_image *image);

void ptx_module_destroy(struct strata_module *m);
struct emu_image *ptx_module_image(struct strata_module *m, size_t entry, struct strata_error *err);

/* A function provided by the emulator (vprintf, malloc, launches of kernels, ...); NULL if not. */
const char *ptx_builtin(const char *name);
/* Its answer depends on what other blocks have done. */
bool ptx_builtin_allocates(const char *builtin);
/* Is it a function of the driver's? emulator/device_calls.h has its instructions. */
bool ptx_builtin_is_driver(const char *builtin);

#endif
