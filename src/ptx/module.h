/* module.h - a loaded module: parsed, linked and decoded. */
#ifndef STRATA_PTX_MODULE_H
#define STRATA_PTX_MODULE_H

#include "ptx/exec.h"

struct strata_ptx_module {
    struct ptx_ast ast;
    struct strata_ptx_memory memory;
    struct strata_ptx_entry *entries;
    struct ptx_image *images; /* one per entry */
    size_t n_entries, cap_entries;
    struct strata_ptx_symbol *symbols;
    size_t n_symbols, cap_symbols;
    void *workspace;
    struct ptx_function **functions; /* by id */
    size_t n_functions, cap_functions;
};

/* Memory a grid-wide barrier of cooperative groups keeps its state in. */
#define PTX_WORKSPACE_BYTES 256

/* Resolves names across units, places variables and applies initialisers. */
strata_status ptx_link(struct strata_ptx_module *m, struct strata_error *err);
/* Decodes an entry and every function it can reach. */
strata_status ptx_decode(struct strata_ptx_module *m, struct ptx_function *entry,
                         struct ptx_image *image, struct strata_error *err);
void ptx_image_release(struct ptx_image *image);

/* The allocation or module variable that holds an address. Without a memory that knows, true for
 * all addresses. */
bool ptx_find_range(struct strata_ptx_module *m, uint64_t address, struct strata_ptx_range *out);

/* A function provided by the emulator: vprintf, malloc, free, __assertfail; NULL if not. */
const char *ptx_builtin(const char *name);

#endif
