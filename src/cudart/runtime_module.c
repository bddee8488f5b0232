/* runtime_module.c - what the program registers at start: fatbins, kernels, variables.
 *
 * One registered fatbin is one library of the driver's; equal names may occur in several. Nothing
 * is loaded before a kernel or a variable of it is used. */
#include "cudart/runtime.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

struct module {
    void *handle;      /* what the program holds: its address is &handle */
    const void *image; /* nvcc's wrapper */
    CUlibrary library; /* NULL until loaded */
    int failed;        /* loading failed with this */
};

/* One kernel, keyed by the address of its host stub. */
struct function {
    const void *host;
    struct module *module;
    const char *name;  /* the program's own text, which stays */
    CUfunction kernel; /* NULL until its module is loaded */
};

struct variable {
    const void *host;
    struct module *module;
    const char *name;
    void **managed; /* where the program keeps the pointer to a __managed__ variable */
    size_t bytes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct function *functions; /* sorted by host once `functions_sorted` */
static size_t n_functions, cap_functions;
static bool functions_sorted;
static struct variable *variables;
static size_t n_variables, cap_variables;

/* Registration has no way to report an error. */
static void out_of_memory(void)
{
    fprintf(stderr, "strata: there is no memory left to register the program's kernels.\n");
    _exit(4);
}

static void bind_managed(struct module *m)
{
    for (size_t i = 0; i < n_variables; i++) {
        struct variable *v = &variables[i];
        CUdeviceptr at;
        size_t bytes;
        if (v->module == m && v->managed &&
            cuLibraryGetGlobal(&at, &bytes, m->library, v->name) == CUDA_SUCCESS)
            *v->managed = (void *)(uintptr_t)at;
    }
}

static int module_ready(struct module *m)
{
    unsigned count;
    if (m->library || m->failed)
        return m->failed;
    CUresult status = cuLibraryLoadData(&m->library, m->image, NULL, NULL, 0, NULL, NULL, 0);
    if (status == CUDA_SUCCESS) /* compiles it now, so that an error is seen here */
        status = cuLibraryGetKernelCount(&count, m->library);
    m->failed = (int)status;
    if (status == CUDA_SUCCESS)
        bind_managed(m);
    return (int)status;
}

static int compare(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const struct function *)a)->host;
    uintptr_t y = (uintptr_t)((const struct function *)b)->host;
    return x < y ? -1 : x > y;
}

static struct function *function_find(const void *host)
{
    struct function key = {.host = host};
    if (!functions_sorted)
        qsort(functions, n_functions, sizeof *functions, compare);
    functions_sorted = true;
    return n_functions ? bsearch(&key, functions, n_functions, sizeof *functions, compare) : NULL;
}

/* Kernel and function handles are accepted wherever a host function is. */
static int handle_ready(const void *handle, CUfunction *out)
{
    const char *name;
    *out = (CUfunction)(uintptr_t)handle;
    return cuFuncGetName(&name, *out) == CUDA_SUCCESS ? OK : INVALID_DEVICE_FUNCTION;
}

static int load_kernel(struct function *f)
{
    CUkernel k;
    int status = module_ready(f->module);
    if (status != OK)
        return status;
    status = (int)cuLibraryGetKernel(&k, f->module->library, f->name);
    if (status == OK)
        f->kernel = (CUfunction)k;
    return status == CUDA_ERROR_NOT_FOUND ? INVALID_DEVICE_FUNCTION : status;
}

int function_ready(const void *host, CUfunction *out)
{
    pthread_mutex_lock(&lock);
    struct function *f = function_find(host);
    int status = f && !f->kernel ? load_kernel(f) : OK;
    if (f)
        *out = f->kernel;
    pthread_mutex_unlock(&lock);
    return f ? status : handle_ready(host, out);
}

const void *function_host(CUfunction kernel)
{
    const void *host = kernel;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < n_functions; i++)
        if (functions[i].kernel == kernel)
            host = functions[i].host;
    pthread_mutex_unlock(&lock);
    return host;
}

/* The name of a __managed__ variable means its memory, not the pointer that was registered. */
static bool names(const struct variable *v, const void *host)
{
    return v->host == host || (v->managed && (host == v->managed || host == *v->managed));
}

static struct variable *variable_find(const void *host)
{
    for (size_t i = 0; i < n_variables; i++)
        if (names(&variables[i], host))
            return &variables[i];
    return NULL;
}

int symbol_ready(const void *host, CUdeviceptr *address, size_t *bytes)
{
    pthread_mutex_lock(&lock);
    struct variable *v = variable_find(host);
    int status = v ? module_ready(v->module) : INVALID_SYMBOL;
    size_t whole = 0;
    if (status == OK &&
        cuLibraryGetGlobal(address, &whole, v->module->library, v->name) != CUDA_SUCCESS)
        status = INVALID_SYMBOL;
    if (status == OK)
        *bytes = v->bytes ? v->bytes : whole;
    pthread_mutex_unlock(&lock);
    return status;
}

/* ---- what the program's constructors call ---- */

#define EXPORTED __attribute__((visibility("default")))
void **__cudaRegisterFatBinary(const void *image);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const void *host, char *device, const char *name,
                            int limit, void *tid, void *bid, void *bdim, void *gdim, int *wsize);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                       size_t bytes, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **pointer, char *device, const char *name,
                              int ext, size_t bytes, int constant, int global);
char __cudaInitModule(void **handle);

EXPORTED void **__cudaRegisterFatBinary(const void *image)
{
    struct module *m = calloc(1, sizeof *m);
    if (!m)
        out_of_memory();
    m->image = image;
    m->handle = m;
    return &m->handle;
}

EXPORTED void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

/* Kernels may still run in other destructors, and the process is about to end: nothing is freed. */
EXPORTED void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

EXPORTED void __cudaRegisterFunction(void **handle, const void *host, char *device_name,
                                     const char *name, int limit, void *tid, void *bid, void *bdim,
                                     void *gdim, int *wsize)
{
    (void)device_name, (void)limit, (void)tid, (void)bid, (void)bdim, (void)gdim, (void)wsize;
    pthread_mutex_lock(&lock);
    if (!ARRAY_RESERVE(functions, n_functions, cap_functions, 1))
        out_of_memory();
    functions[n_functions++] = (struct function){host, (struct module *)handle, name, NULL};
    functions_sorted = false;
    pthread_mutex_unlock(&lock);
}

static void add_variable(void **handle, const void *host, void **managed, const char *name,
                         size_t bytes)
{
    pthread_mutex_lock(&lock);
    if (!ARRAY_RESERVE(variables, n_variables, cap_variables, 1))
        out_of_memory();
    variables[n_variables++] =
        (struct variable){host, (struct module *)handle, name, managed, bytes};
    pthread_mutex_unlock(&lock);
}

EXPORTED void __cudaRegisterVar(void **handle, char *host, char *device_name, const char *name,
                                int ext, size_t bytes, int constant, int global)
{
    (void)device_name, (void)ext, (void)constant, (void)global;
    add_variable(handle, host, NULL, name, bytes);
}

EXPORTED void __cudaRegisterManagedVar(void **handle, void **pointer, char *device_name,
                                       const char *name, int ext, size_t bytes, int constant,
                                       int global)
{
    (void)device_name, (void)ext, (void)constant, (void)global;
    add_variable(handle, pointer, pointer, name, bytes);
}

/* Called before the host first touches a managed variable of the module. */
EXPORTED char __cudaInitModule(void **handle)
{
    if (runtime_ready() != OK)
        return 0;
    pthread_mutex_lock(&lock);
    int status = module_ready((struct module *)handle);
    pthread_mutex_unlock(&lock);
    return status == OK;
}

/* ---- asking ---- */

API(cudaGetSymbolAddress, void **pointer, const void *symbol)
{
    CUdeviceptr at;
    size_t bytes;
    READY();
    int status = pointer ? symbol_ready(symbol, &at, &bytes) : INVALID_VALUE;
    if (status == OK)
        *pointer = (void *)(uintptr_t)at;
    RESULT(status);
}

API(cudaGetSymbolSize, size_t *bytes, const void *symbol)
{
    CUdeviceptr at;
    READY();
    RESULT(bytes ? symbol_ready(symbol, &at, bytes) : INVALID_VALUE);
}

API(cudaFuncGetName, const char **name, const void *host)
{
    CUfunction f;
    READY();
    int status = function_ready(host, &f);
    RESULT(status == OK ? (int)cuFuncGetName(name, f) : status);
}

API(cudaGetFuncBySymbol, CUfunction *out, const void *host)
{
    READY();
    RESULT(out ? function_ready(host, out) : INVALID_VALUE);
}
API_ALIAS(cudaGetKernel, cudaGetFuncBySymbol);
API_ALIAS(__cudaGetKernel, cudaGetFuncBySymbol);

/* ---- libraries that the program loads itself ---- */

API(cudaLibraryLoadData, CUlibrary *out, const void *code, CUjit_option *jit, void **jit_values,
    unsigned n_jit, CUlibraryOption *option, void **values, unsigned n)
{
    PASS(cuLibraryLoadData(out, code, jit, jit_values, n_jit, option, values, n));
}

API(cudaLibraryLoadFromFile, CUlibrary *out, const char *path, CUjit_option *jit, void **jit_values,
    unsigned n_jit, CUlibraryOption *option, void **values, unsigned n)
{
    PASS(cuLibraryLoadFromFile(out, path, jit, jit_values, n_jit, option, values, n));
}

API(cudaLibraryUnload, CUlibrary library)
{
    PASS(cuLibraryUnload(library));
}

API(cudaLibraryGetKernel, CUkernel *out, CUlibrary library, const char *name)
{
    PASS(cuLibraryGetKernel(out, library, name));
}

API(cudaLibraryGetGlobal, void **at, size_t *bytes, CUlibrary library, const char *name)
{
    PASS(cuLibraryGetGlobal((CUdeviceptr *)(void *)at, bytes, library, name));
}

API(cudaLibraryGetManaged, void **at, size_t *bytes, CUlibrary library, const char *name)
{
    PASS(cuLibraryGetManaged((CUdeviceptr *)(void *)at, bytes, library, name));
}

API(cudaLibraryGetKernelCount, unsigned *count, CUlibrary library)
{
    PASS(cuLibraryGetKernelCount(count, library));
}

API(cudaLibraryEnumerateKernels, CUkernel *out, unsigned n, CUlibrary library)
{
    PASS(cuLibraryEnumerateKernels(out, n, library));
}
