/* driver_module.c - modules: loading, functions, variables. */
#include "cuda/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/trace.h>

#include "base/array.h"
#include "base/file.h"

#define MAX_FILE_BYTES ((size_t)1 << 30)

static void destroy_function(struct object *o)
{
    CUfunction f = (CUfunction)o;
    object_remove(o);
    free(f->name);
    free(f);
}

static void destroy(struct object *o)
{
    struct CUmod_st *m = (struct CUmod_st *)o;
    object_remove(o);
    for (size_t i = 0; i < m->n_functions; i++)
        destroy_function(&m->functions[i]->object);
    strata_module_destroy(m->ptx); /* it uses the other's variables */
    strata_module_destroy(m->code);
    strata_cubin_kernels_free(m->cubin, m->n_cubin);
    free(m->functions);
    free(m->owned_image);
    free(m->log);
    free(m);
}

struct CUmod_st *module_of(const void *handle, bool is_library)
{
    struct CUmod_st *m = (struct CUmod_st *)(uintptr_t)handle;
    if (!object_is(m, OBJECT_MODULE))
        return NULL;
    /* A loaded library is a module too (cuLibraryGetModule). */
    return m->is_library == is_library || (m->is_library && m->code) ? m : NULL;
}

CUresult module_load(struct CUmod_st *m)
{
    if (m->code || m->failed)
        return m->failed;
    return image_load(m);
}

/* What nvcc registered is part of the program and stays; everything else is copied. */
static bool keep_image(struct CUmod_st *m, const void *image)
{
    uint32_t word;
    memcpy(&word, image, sizeof word);
    m->image = image;
    if (word == STRATA_FATBIN_WRAPPER)
        return true;
    size_t bytes = image_bytes(image);
    if (!bytes)
        return true;
    m->owned_image = malloc(bytes);
    if (m->owned_image)
        memcpy(m->owned_image, image, bytes);
    m->image = m->owned_image;
    return m->owned_image != NULL;
}

CUresult module_make(struct CUmod_st **out, const void *image, bool is_library, bool load_now,
                     CUcontext owner)
{
    if (!out || !image)
        return CUDA_ERROR_INVALID_VALUE;
    struct CUmod_st *m = calloc(1, sizeof *m);
    if (!m || !object_add(&m->object, OBJECT_MODULE, owner, destroy)) {
        free(m);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    m->is_library = is_library;
    CUresult status = !keep_image(m, image)    ? CUDA_ERROR_OUT_OF_MEMORY
                      : !image_bytes(m->image) ? CUDA_ERROR_INVALID_IMAGE
                      : load_now               ? module_load(m)
                                               : CUDA_SUCCESS;
    *out = m; /* also if it failed, for its log; then destroyed by the caller */
    return status;
}

/* ---- options of the compiler: only the logs matter here ---- */

struct logs {
    char *text[2]; /* information, errors */
    size_t bytes[2];
};

static size_t number_in(void *value)
{
    return (size_t)(uintptr_t)value; /* passed in place of a pointer */
}

static struct logs find_logs(unsigned n, const CUjit_option *option, void **value)
{
    struct logs l = {0};
    for (unsigned i = 0; i < n && option && value; i++) {
        if (option[i] == CU_JIT_INFO_LOG_BUFFER)
            l.text[0] = value[i];
        if (option[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
            l.bytes[0] = number_in(value[i]);
        if (option[i] == CU_JIT_ERROR_LOG_BUFFER)
            l.text[1] = value[i];
        if (option[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
            l.bytes[1] = number_in(value[i]);
    }
    return l;
}

static void write_logs(const struct logs *l, const char *error)
{
    if (l->text[0] && l->bytes[0])
        l->text[0][0] = 0;
    if (l->text[1] && l->bytes[1])
        snprintf(l->text[1], l->bytes[1], "%s", error ? error : "");
}

CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned n, CUjit_option *option,
                            void **value)
{
    ENTER(NEED_CONTEXT);
    struct logs logs = find_logs(n, option, value);
    struct CUmod_st *m = NULL;
    CUresult status =
        out ? module_make(&m, image, false, true, context_current()) : CUDA_ERROR_INVALID_VALUE;
    write_logs(&logs, m ? m->log : NULL);
    if (status == CUDA_SUCCESS)
        *out = m;
    else if (m)
        destroy(&m->object);
    LEAVE(status);
}

CUresult cuModuleLoadData(CUmodule *out, const void *image)
{
    return cuModuleLoadDataEx(out, image, 0, NULL, NULL);
}

CUresult cuModuleLoadFatBinary(CUmodule *out, const void *image)
{
    return cuModuleLoadDataEx(out, image, 0, NULL, NULL);
}

static CUresult read_image(const char *path, char **out)
{
    size_t length;
    struct strata_error err;
    if (!path)
        return CUDA_ERROR_INVALID_VALUE;
    if (strata_file_read(path, MAX_FILE_BYTES, out, &length, &err) != STRATA_OK)
        return CUDA_ERROR_FILE_NOT_FOUND;
    if (length < 4 || !image_bytes(*out) || image_bytes(*out) > length + 1) {
        free(*out);
        return CUDA_ERROR_INVALID_IMAGE;
    }
    return CUDA_SUCCESS;
}

CUresult cuModuleLoad(CUmodule *out, const char *path)
{
    char *image = NULL;
    CUresult status = read_image(path, &image);
    if (status != CUDA_SUCCESS)
        return status;
    status = cuModuleLoadDataEx(out, image, 0, NULL, NULL);
    free(image);
    return status;
}

CUresult cuModuleUnload(CUmodule handle)
{
    ENTER(NEED_CONTEXT);
    struct CUmod_st *m = module_of(handle, false);
    if (m)
        destroy(&m->object);
    LEAVE(m ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE);
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    ENTER(NEED_INIT);
    if (!mode)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *mode = CU_MODULE_LAZY_LOADING;
    LEAVE(CUDA_SUCCESS);
}

/* ---- functions ---- */

static void set_resources(CUfunction f)
{
    const struct CUmod_st *m = f->module;
    f->registers = f->entry->registers;
    f->regs_source = f->entry->registers_are_exact ? STRATA_REGS_CUBIN : STRATA_REGS_ESTIMATE;
    f->shared_static_bytes = f->entry->shared_static_bytes;
    for (size_t i = 0; i < m->n_cubin; i++)
        if (!strcmp(m->cubin[i].name, f->name)) {
            f->shared_static_bytes = m->cubin[i].shared_static_bytes;
            if (!m->cubin[i].registers)
                continue;
            f->registers = m->cubin[i].registers;
            f->regs_source = STRATA_REGS_CUBIN;
        }
    if (config.registers) {
        f->registers = config.registers;
        f->regs_source = STRATA_REGS_USER;
    }
}

static CUresult add_function(struct CUmod_st *m, const struct strata_entry *entry, CUfunction *out)
{
    CUfunction f = calloc(1, sizeof *f);
    char *name = strdup(entry->name);
    if (!f || !name || !ARRAY_RESERVE(m->functions, m->n_functions, m->cap_functions, 1) ||
        !object_add(&f->object, OBJECT_FUNCTION, NULL, destroy_function)) {
        free(f);
        free(name);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    f->module = m;
    f->name = name;
    f->code = image_code_for(m, &entry);
    f->entry = entry;
    f->carveout = -1;
    f->max_dynamic_shared_bytes = (uint32_t)device.shared_per_block;
    set_resources(f);
    m->functions[m->n_functions++] = f;
    *out = f;
    return CUDA_SUCCESS;
}

CUresult module_function(struct CUmod_st *m, const char *name, CUfunction *out)
{
    for (size_t i = 0; i < m->n_functions; i++)
        if (!strcmp(m->functions[i]->name, name)) {
            *out = m->functions[i];
            return CUDA_SUCCESS;
        }
    const struct strata_entry *entry = strata_module_entry_find(m->code, name);
    return entry ? add_function(m, entry, out) : CUDA_ERROR_NOT_FOUND;
}

CUresult function_ready(const void *handle, CUfunction *out)
{
    *out = (CUfunction)(uintptr_t)handle;
    return object_is(handle, OBJECT_FUNCTION) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

struct strata_module *function_module(const struct CUfunc_st *f)
{
    return f->code;
}

CUresult cuModuleGetFunction(CUfunction *out, CUmodule handle, const char *name)
{
    ENTER(NEED_CONTEXT);
    struct CUmod_st *m = module_of(handle, false);
    if (!m)
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    LEAVE(out && name ? module_function(m, name, out) : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule handle)
{
    ENTER(NEED_CONTEXT);
    struct CUmod_st *m = module_of(handle, false);
    if (!count || !m)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *count = (unsigned)strata_module_entry_count(m->code);
    LEAVE(CUDA_SUCCESS);
}

CUresult cuModuleEnumerateFunctions(CUfunction *out, unsigned n, CUmodule handle)
{
    ENTER(NEED_CONTEXT);
    struct CUmod_st *m = module_of(handle, false);
    CUresult status = out && m ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; status == CUDA_SUCCESS && i < n && i < strata_module_entry_count(m->code);
         i++)
        status = module_function(m, strata_module_entry_get(m->code, i)->name, &out[i]);
    LEAVE(status);
}

/* ---- variables ---- */

static CUresult find_global(struct CUmod_st *m, const char *name, CUdeviceptr *at, size_t *bytes)
{
    const struct strata_symbol *s = strata_module_symbol_find(m->code, name);
    if (!s)
        return CUDA_ERROR_NOT_FOUND;
    if (at)
        *at = (CUdeviceptr)(uintptr_t)s->address;
    if (bytes)
        *bytes = s->bytes;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *at, size_t *bytes, CUmodule handle, const char *name)
{
    ENTER(NEED_CONTEXT);
    struct CUmod_st *m = module_of(handle, false);
    if (!m)
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    LEAVE(name ? find_global(m, name, at, bytes) : CUDA_ERROR_INVALID_VALUE);
}

/* ---- libraries: modules that load when they are first used ---- */

static CUlibrary as_library(struct CUmod_st *m)
{
    return (CUlibrary)m;
}

CUresult cuLibraryLoadData(CUlibrary *out, const void *image, CUjit_option *jit, void **jit_values,
                           unsigned n_jit, CUlibraryOption *option, void **values, unsigned n)
{
    (void)option, (void)values, (void)n;
    ENTER(NEED_INIT);
    struct logs logs = find_logs(n_jit, jit, jit_values);
    struct CUmod_st *m = NULL;
    CUresult status = out ? module_make(&m, image, true, false, NULL) : CUDA_ERROR_INVALID_VALUE;
    write_logs(&logs, m ? m->log : NULL);
    if (status == CUDA_SUCCESS)
        *out = as_library(m);
    else if (m)
        destroy(&m->object);
    LEAVE(status);
}

CUresult cuLibraryLoadFromFile(CUlibrary *out, const char *path, CUjit_option *jit,
                               void **jit_values, unsigned n_jit, CUlibraryOption *option,
                               void **values, unsigned n)
{
    char *image = NULL;
    CUresult status = read_image(path, &image);
    if (status != CUDA_SUCCESS)
        return status;
    status = cuLibraryLoadData(out, image, jit, jit_values, n_jit, option, values, n);
    free(image);
    return status;
}

CUresult cuLibraryUnload(CUlibrary handle)
{
    ENTER(NEED_INIT);
    struct CUmod_st *m = module_of(handle, true);
    if (m)
        destroy(&m->object);
    LEAVE(m ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE);
}

/* The library behind a handle, loaded. */
static CUresult ready(CUlibrary handle, struct CUmod_st **out)
{
    *out = module_of(handle, true);
    return *out ? module_load(*out) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuLibraryGetKernel(CUkernel *out, CUlibrary handle, const char *name)
{
    struct CUmod_st *m;
    CUfunction f;
    ENTER(NEED_INIT);
    CUresult status = out && name ? ready(handle, &m) : CUDA_ERROR_INVALID_VALUE;
    if (status == CUDA_SUCCESS)
        status = module_function(m, name, &f);
    if (status == CUDA_SUCCESS)
        *out = (CUkernel)f;
    LEAVE(status);
}

CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary handle)
{
    struct CUmod_st *m;
    ENTER(NEED_INIT);
    CUresult status = count ? ready(handle, &m) : CUDA_ERROR_INVALID_VALUE;
    if (status == CUDA_SUCCESS)
        *count = (unsigned)strata_module_entry_count(m->code);
    LEAVE(status);
}

CUresult cuLibraryEnumerateKernels(CUkernel *out, unsigned n, CUlibrary handle)
{
    struct CUmod_st *m;
    ENTER(NEED_INIT);
    CUresult status = out ? ready(handle, &m) : CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; status == CUDA_SUCCESS && i < n && i < strata_module_entry_count(m->code);
         i++)
        status = module_function(m, strata_module_entry_get(m->code, i)->name,
                                 (CUfunction *)(void *)&out[i]);
    LEAVE(status);
}

CUresult cuLibraryGetModule(CUmodule *out, CUlibrary handle)
{
    struct CUmod_st *m;
    ENTER(NEED_CONTEXT);
    CUresult status = out ? ready(handle, &m) : CUDA_ERROR_INVALID_VALUE;
    if (status == CUDA_SUCCESS)
        *out = m;
    LEAVE(status);
}

CUresult cuLibraryGetGlobal(CUdeviceptr *at, size_t *bytes, CUlibrary handle, const char *name)
{
    struct CUmod_st *m;
    ENTER(NEED_CONTEXT);
    CUresult status = name ? ready(handle, &m) : CUDA_ERROR_INVALID_VALUE;
    LEAVE(status == CUDA_SUCCESS ? find_global(m, name, at, bytes) : status);
}

CUresult cuLibraryGetManaged(CUdeviceptr *at, size_t *bytes, CUlibrary handle, const char *name)
{
    struct CUmod_st *m;
    ENTER(NEED_INIT);
    CUresult status = name ? ready(handle, &m) : CUDA_ERROR_INVALID_VALUE;
    if (status != CUDA_SUCCESS)
        LEAVE(status);
    const struct strata_symbol *s = strata_module_symbol_find(m->code, name);
    LEAVE(s && s->is_managed ? find_global(m, name, at, bytes) : CUDA_ERROR_NOT_FOUND);
}
