/* The PTX parser, linker and decoder on any text; what loads is run for a few instructions. */
#include <stdlib.h>
#include <string.h>

#include <strata/ptx.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* All of a kernel's memory is this; anything else it touches is an error. */
static uint8_t memory[4096];

static bool find(void *user, uint64_t address, struct strata_memory_range *out)
{
    (void)user;
    uint64_t base = (uint64_t)(uintptr_t)memory;
    if (address - base >= sizeof memory)
        return false;
    *out = (struct strata_memory_range){base, sizeof memory};
    return true;
}

/* Variables of fuzzed sizes and what kernels allocate, a few megabytes in all. A kernel may keep
 * what it allocated and free what it never had, so what was given is known here. */
enum { MOST_GIVEN = 1024 };
static uint64_t given_bytes;
static void *given[MOST_GIVEN];
static size_t n_given;

static void *allocate(void *user, uint64_t bytes, uint64_t align)
{
    (void)user;
    if (bytes > (1u << 20) || given_bytes > (8u << 20) || n_given == MOST_GIVEN)
        return NULL;
    given_bytes += bytes;
    align = align < 64 ? 64 : align;
    return given[n_given++] = aligned_alloc(align, (bytes + align - 1) / align * align);
}
static void release(void *user, void *p)
{
    (void)user;
    for (size_t i = 0; i < n_given; i++)
        if (given[i] == p) {
            given[i] = given[--n_given];
            free(p);
            return;
        }
}
static void release_all(void)
{
    while (n_given)
        free(given[--n_given]);
    given_bytes = 0;
}

static void run_entries(struct strata_module *m)
{
    for (size_t i = 0; i < strata_module_entry_count(m) && i < 4; i++) {
        const struct strata_entry *e = strata_module_entry_get(m, i);
        uint8_t *params = calloc(1, e->param_bytes + 8);
        uint64_t base = (uint64_t)(uintptr_t)memory;
        for (uint32_t k = 0; params && k < e->n_params; k++)
            if (e->params[k].size_bytes == 8)
                memcpy(params + e->params[k].offset_bytes, &base, sizeof base);
        struct strata_run_options opt;
        strata_run_options_init(&opt);
        opt.threads = 1;
        opt.instruction_limit = 2000;
        opt.state_limit_bytes = 64u << 20;
        struct strata_kernel_launch launch = {
            .entry = e, .grid = {2, 1, 1}, .block = {40, 1, 1}, .params = params};
        struct strata_error err;
        bool small = e->shared_static_bytes < (1u << 20) && e->local_bytes < 65536;
        if (params && small)
            strata_module_run(m, &launch, &opt, NULL, &err);
        free(params);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct strata_device_memory hooks = {.allocate = allocate, .release = release, .find = find};
    struct strata_ptx_source source = {(const char *)data, size, "fuzz"};
    struct strata_module *m;
    struct strata_error err;
    if (strata_ptx_module_create(&source, 1, &hooks, &m, &err) == STRATA_OK) {
        run_entries(m);
        strata_module_destroy(m);
    }
    release_all();
    return 0;
}
