/* module.h - a loaded cubin: sections in memory, kernels made ready one by one. */
#ifndef STRATA_SASS_MODULE_H
#define STRATA_SASS_MODULE_H

#include "sass/exec.h"

struct sass_pool_chunk;

/* Where a section of the cubin lies. */
struct sass_place {
    uint8_t *bytes;   /* a copy that relocations are applied to; NULL: it needs none */
    uint64_t address; /* as programs see it */
    bool is_device;   /* bytes are device memory of the module */
};

struct sass_module {
    struct strata_module base;
    char *name;
    uint8_t *file;
    struct sass_cubin cubin;
    struct sass_place *places; /* by section */
    uint8_t **variables;       /* by symbol; NULL: the variable lies in its section's place */
    struct sass_image *images; /* by entry */
    struct sass_pool_chunk *pool;
    uint32_t *kernel_of_entry;
    char **inlined; /* texts of the places of inlined code that were asked for, by number */
};

/* Which sections keep the cubin's layout; the variables of the others are placed one by one. */
bool sass_sections_kept(const struct sass_module *m, bool *keeps);
bool sass_place_variables(struct sass_module *m, const bool *keeps);
/* Where a variable (a symbol of a device section) lies. */
uint8_t *sass_variable(const struct sass_module *m, uint32_t symbol);
void sass_release_variables(struct sass_module *m);

/* The file that most instructions of a kernel come from, by index; SASS_UNDEFINED: not known. */
uint32_t sass_main_file(const struct sass_module *m, const struct sass_kernel *k);

extern const struct emu_executor sass_executor;

/* A function that neither the cubin nor the emulator has. */
bool sass_symbol_is_foreign(const struct sass_symbol *s);
void sass_module_destroy(struct strata_module *m);
/* Decodes and lowers the kernel and all functions it may call; false: err says why not. */
bool sass_image_build(struct sass_module *m, struct sass_image *image, struct strata_error *err);
void sass_image_release(struct sass_image *image);
/* The instruction of a range of code that has `index` others before it. */
void sass_image_decode(const struct sass_module *m, const struct sass_range *r, uint32_t index,
                       struct sass_inst *in);
/* In which region, from BSSY to BSYNC, each YIELD of a range lies: that of the first BSYNC behind
 * it whose BSSY is not behind it too. */
void sass_find_regions(struct sass_image *image, const struct sass_range *range);
/* Marks the instructions of a range by which blocks wait for others. */
void sass_find_waiting(const struct sass_module *m, struct sass_image *image,
                       const struct sass_range *range);
void sass_pool_release(struct sass_pool_chunk *pool);

/* What is recorded of an instruction: opcode, registers, widths, source line. False: memory is
 * short. */
bool sass_static_add(struct sass_module *m, struct sass_image *image, const struct sass_inst *in,
                     const struct sass_kernel *function, struct sass_exec *op);

#endif
