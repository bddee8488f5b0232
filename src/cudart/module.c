/* module.c - what the program registers at start: fatbins, kernels, variables.
 *
 * One registered fatbin is one module; equal names may occur in several. Nothing is parsed before a
 * kernel or a variable of a module is used. */
#include "cudart/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/fatbin.h>

#include "base/array.h"

/* What __cudaRegisterFatBinary receives. */
struct wrapper {
    uint32_t magic, version;
    const void *container;
    const void *const
        *units; /* version 2: containers of the separately compiled units, NULL at the end */
};

struct module {
    void *handle; /* what the program holds: its address is &handle */
    const struct wrapper *wrapper;
    struct strata_module *ptx; /* NULL until loaded */
    struct strata_cubin_kernel *cubin;
    size_t n_cubin;
    bool has_managed;
};

struct variable {
    const void *host;
    struct module *module;
    char *name;
    void **managed; /* where the program keeps the pointer to a __managed__ variable */
    size_t bytes;
};

static struct function **functions;
static size_t n_functions, cap_functions;
static struct variable *variables;
static size_t n_variables, cap_variables;

static void out_of_memory(void)
{
    struct strata_error err;
    strata_no_memory(&err, NULL, "to register the program's kernels");
    runtime_die(&err);
}

/* Containers of a module, in order; returns their number. */
static size_t containers(const struct module *m, const void **out, size_t max)
{
    size_t n = 0;
    if (m->wrapper->container)
        out[n++] = m->wrapper->container;
    if (m->wrapper->version >= 2 && m->wrapper->units)
        for (const void *const *u = m->wrapper->units; *u && n < max; u++)
            out[n++] = *u;
    return n;
}

static strata_status parse_container(const void *container, struct strata_fatbin **out,
                                     struct strata_error *err)
{
    const uint8_t *bytes = container;
    uint16_t header;
    uint64_t body;
    memcpy(&header, bytes + 6, sizeof header);
    memcpy(&body, bytes + 8, sizeof body);
    return strata_fatbin_parse(container, header + body, program_name(), out, err);
}

/* Register counts from the cubin that fits the device best. */
static void read_cubin(struct module *m, const struct strata_fatbin *f)
{
    const struct strata_fatbin_entry *entry = strata_fatbin_choose_cubin(f, device.sm_version);
    char *elf = NULL;
    size_t length, n = 0;
    struct strata_cubin_kernel *kernels = NULL;
    if (entry && !m->cubin &&
        strata_fatbin_extract(entry, program_name(), &elf, &length, NULL) == STRATA_OK &&
        strata_cubin_kernels(elf, length, program_name(), &kernels, &n, NULL) == STRATA_OK) {
        m->cubin = kernels;
        m->n_cubin = n;
    }
    free(elf);
}

#define MAX_UNITS 1024

/* Messages about the PTX give its lines, which are not the source's: say so. */
static const char *ptx_name(void)
{
    static char name[128];
    snprintf(name, sizeof name, "PTX of %s", program_name());
    return name;
}

/* PTX texts of all containers that have one. With separate compilation the first container is the
 * device linker's and holds machine code only; the PTX is in the units. */
static size_t read_sources(struct module *m, struct strata_ptx_source *sources,
                           struct strata_error *err)
{
    const void *container[MAX_UNITS];
    size_t n = containers(m, container, MAX_UNITS), n_sources = 0;
    struct strata_error first = {0};
    for (size_t i = 0; i < n; i++) {
        struct strata_fatbin *f;
        const struct strata_fatbin_entry *entry;
        char *text;
        size_t length;
        if (parse_container(container[i], &f, err) != STRATA_OK)
            runtime_die(err);
        read_cubin(m, f);
        if (strata_fatbin_count(f) &&
            strata_fatbin_choose_ptx(f, program_name(), &entry, err) == STRATA_OK) {
            if (strata_fatbin_extract(entry, program_name(), &text, &length, err) != STRATA_OK)
                runtime_die(err);
            sources[n_sources++] = (struct strata_ptx_source){text, length, ptx_name()};
        } else if (!first.message[0]) {
            first = *err;
        }
        strata_fatbin_destroy(f);
    }
    if (!n_sources && first.message[0])
        *err = first;
    return n_sources;
}

static void set_resources(struct function *f)
{
    const struct module *m = f->module;
    f->registers = f->entry->registers;
    f->regs_source = STRATA_REGS_ESTIMATE;
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

static void bind_managed(struct module *m)
{
    for (size_t i = 0; i < n_variables; i++) {
        struct variable *v = &variables[i];
        if (v->module != m || !v->managed)
            continue;
        const struct strata_symbol *s = strata_module_symbol_find(m->ptx, v->name);
        if (s)
            *v->managed = s->address;
    }
}

static void module_load(struct module *m)
{
    if (m->ptx)
        return;
    struct strata_error err = {0};
    static struct strata_ptx_source sources[MAX_UNITS];
    size_t n = read_sources(m, sources, &err);
    if (!n) {
        if (!err.message[0])
            strata_fail(&err, STRATA_EUNSUPPORTED, program_name(), 0, 0,
                        "the program holds no GPU code; build it with nvcc -arch=sm_90, which "
                        "keeps the PTX.");
        runtime_die(&err);
    }
    struct strata_device_memory memory = memory_interface();
    strata_status status = strata_ptx_module_create(sources, n, &memory, &m->ptx, &err);
    for (size_t i = 0; i < n; i++)
        free((char *)(uintptr_t)sources[i].text);
    if (status != STRATA_OK && strstr(err.message, "__cuda_syscall_cnp"))
        strata_fail(&err, STRATA_EUNSUPPORTED, program_name(), 0, 0,
                    "the program launches kernels from kernels (dynamic parallelism), which Strata "
                    "does not support; "
                    "launch them from the host.");
    if (status != STRATA_OK)
        runtime_die(&err);
    bind_managed(m);
}

struct function *function_find(const void *host)
{
    for (size_t i = 0; i < n_functions; i++)
        if (functions[i]->host == host || (const void *)functions[i] == host)
            return functions[i];
    return NULL;
}

struct function *function_ready(const void *host)
{
    struct function *f = function_find(host);
    if (!f || f->entry)
        return f;
    module_load(f->module);
    f->entry = strata_module_entry_find(f->module->ptx, f->name);
    if (!f->entry) {
        struct strata_error err;
        strata_fail(&err, STRATA_EFORMAT, program_name(), 0, 0,
                    "kernel %s is registered by the program but missing in its PTX; build the "
                    "program again.",
                    f->name);
        runtime_die(&err);
    }
    set_resources(f);
    return f;
}

struct strata_module *function_module(const struct function *f)
{
    return f->module->ptx;
}

bool symbol_find(const void *host, void **address, size_t *bytes)
{
    for (size_t i = 0; i < n_variables; i++) {
        struct variable *v = &variables[i];
        if (v->host != host && (!v->managed || host != (const void *)v->managed))
            continue;
        module_load(v->module);
        const struct strata_symbol *s = strata_module_symbol_find(v->module->ptx, v->name);
        if (!s)
            return false;
        *address = s->address;
        *bytes = v->bytes ? v->bytes : s->bytes;
        return true;
    }
    return false;
}

/* ---- what the program's constructors call ---- */

void **__cudaRegisterFatBinary(const struct wrapper *w);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const void *host, char *device, const char *name,
                            int limit, void *tid, void *bid, void *bdim, void *gdim, int *wsize);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                       size_t bytes, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **pointer, char *device, const char *name,
                              int ext, size_t bytes, int constant, int global);
char __cudaInitModule(void **handle);

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void **__cudaRegisterFatBinary(const struct wrapper *w)
{
    ENTER();
    struct module *m = calloc(1, sizeof *m);
    if (!m)
        out_of_memory();
    m->wrapper = w;
    m->handle = m;
    if (w->magic != STRATA_FATBIN_WRAPPER) {
        struct strata_error err;
        strata_fail(&err, STRATA_EFORMAT, program_name(), 0, 0,
                    "the program registers GPU code in an unknown form (magic 0x%08x).", w->magic);
        runtime_die(&err);
    }
    runtime_leave(OK);
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
    ENTER();
    struct function *f = calloc(1, sizeof *f);
    if (!f || !ARRAY_RESERVE(functions, n_functions, cap_functions, 1))
        out_of_memory();
    f->host = host;
    f->module = (struct module *)handle;
    f->name = strdup(name);
    f->carveout = -1;
    f->max_dynamic_shared_bytes = (uint32_t)device.shared_per_block;
    if (!f->name)
        out_of_memory();
    functions[n_functions++] = f;
    runtime_leave(OK);
}

static void add_variable(void **handle, const void *host, void **managed, const char *name,
                         size_t bytes)
{
    ENTER();
    char *copy = strdup(name);
    if (!copy || !ARRAY_RESERVE(variables, n_variables, cap_variables, 1))
        out_of_memory();
    variables[n_variables++] =
        (struct variable){host, (struct module *)handle, copy, managed, bytes};
    runtime_leave(OK);
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
    ENTER();
    module_load((struct module *)handle);
    runtime_leave(OK);
    return 1;
}

API(cudaGetSymbolAddress, void **pointer, const void *symbol)
{
    ENTER();
    size_t bytes;
    LEAVE(symbol_find(symbol, pointer, &bytes) ? OK : INVALID_SYMBOL);
}

API(cudaGetSymbolSize, size_t *bytes, const void *symbol)
{
    ENTER();
    void *address;
    LEAVE(symbol_find(symbol, &address, bytes) ? OK : INVALID_SYMBOL);
}

API(cudaFuncGetName, const char **name, const void *host)
{
    ENTER();
    struct function *f = function_find(host);
    if (f)
        *name = f->name;
    LEAVE(f ? OK : INVALID_DEVICE_FUNCTION);
}

/* Kernel and function handles are our own records, accepted wherever a host function is. */
API(cudaGetFuncBySymbol, const void **function, const void *host)
{
    ENTER();
    *function = function_find(host);
    LEAVE(*function ? OK : INVALID_DEVICE_FUNCTION);
}
API_ALIAS(cudaGetKernel, cudaGetFuncBySymbol, const void **function, const void *host);
API_ALIAS(__cudaGetKernel, cudaGetFuncBySymbol, const void **function, const void *host);
