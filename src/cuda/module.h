/* module.h - modules and libraries: images of GPU code, and what was made of them. */
#ifndef STRATA_CUDA_MODULE_H
#define STRATA_CUDA_MODULE_H

#include <strata/fatbin.h>

#include "cuda/driver.h"

struct CUmod_st {
    struct object object;
    bool is_library;
    const void *image;          /* as the program gave it */
    void *owned_image;          /* a copy of ours, unless the image is part of the program */
    struct strata_module *code; /* NULL until loaded */
    struct strata_module
        *ptx; /* beside machine code, for kernels that it cannot run; mostly NULL */
    bool tried_ptx;
    CUresult failed; /* loading was tried and failed with this */
    char *log;       /* what went wrong, for the program's error buffer */
    struct strata_cubin_kernel *cubin;
    size_t n_cubin;
    CUfunction *functions;
    size_t n_functions, cap_functions;
};

/* ---- image.c ---- */

/* Bytes of an image whose length the interface does not tell: from its own headers, or up to the
 * NUL of a text. 0: it says nothing we know. */
size_t image_bytes(const void *image);
/* Makes m->code. The error is told to the user as well if Strata is the one that cannot. */
CUresult image_load(struct CUmod_st *m);
/* The code that runs the kernel: the module's, or, if that is machine code which cannot be executed
 * and the image has PTX, that. */
struct strata_module *image_code_for(struct CUmod_st *m, const struct strata_entry **entry);
/* PTX for a cubin that comes without, kept by its bytes. False: no memory. */
bool image_offer(const void *cubin, size_t cubin_bytes, const char *ptx, size_t ptx_bytes);

/* ---- module.c ---- */

/* A module from an image in memory; *out only on success. `copy` if the image may go away. */
CUresult module_make(struct CUmod_st **out, const void *image, bool is_library, bool load_now,
                     CUcontext owner);
CUresult module_load(struct CUmod_st *m);
CUresult module_function(struct CUmod_st *m, const char *name, CUfunction *out);
struct CUmod_st *module_of(const void *handle, bool is_library);

#endif
