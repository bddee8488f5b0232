/* launch.c - kernel launches: the two ways compilers write them, checks, parameters, running. */
#include "cudart/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BLOCK_THREADS 1024
#define LAUNCH_US         3.0 /* the device's clock: cost of a launch */
#define LANES_PER_SM      128.0

/* dim3 as the callers pass it. */
struct dim3 {
    unsigned x, y, z;
};

/* Between <<<...>>> and the stub that takes it back; nests at most one deep. */
static _Thread_local struct {
    struct dim3 grid, block;
    size_t shared_bytes;
    void *stream;
    bool full;
} pending;

static bool dimensions_fit(struct strata_dim3 grid, struct strata_dim3 block)
{
    if (!grid.x || !grid.y || !grid.z || !block.x || !block.y || !block.z)
        return false;
    return grid.x <= 0x7fffffff && grid.y <= 65535 && grid.z <= 65535 && block.x <= 1024 &&
           block.y <= 1024 && block.z <= 64 &&
           (uint64_t)block.x * block.y * block.z <= MAX_BLOCK_THREADS;
}

static int resources_fit(const struct function *f, uint32_t threads, size_t dynamic_bytes)
{
    if (f->entry->max_threads && threads > f->entry->max_threads)
        return INVALID_VALUE;
    uint64_t limit = f->max_dynamic_shared_bytes;
    if (limit < device.shared_per_block)
        limit = device.shared_per_block;
    if (dynamic_bytes > limit ||
        dynamic_bytes + f->shared_static_bytes > device.shared_per_block_optin)
        return INVALID_VALUE;
    uint32_t warps = (threads + 31) / 32;
    if (f->regs_source == STRATA_REGS_CUBIN &&
        (uint64_t)warps * 32 * f->registers > device.registers_per_sm)
        return LAUNCH_OUT_OF_RESOURCES;
    return OK;
}

/* Neither the number nor the sizes of the arguments are passed: both come from the PTX. */
static void *copy_params(const struct strata_entry *entry, void **args)
{
    uint8_t *block = calloc(1, entry->param_bytes + 8);
    for (uint32_t i = 0; block && i < entry->n_params; i++)
        memcpy(block + entry->params[i].offset_bytes, args[i], entry->params[i].size_bytes);
    return block;
}

int kernel_call_make(struct kernel_call *call, const void *host, struct strata_dim3 grid,
                     struct strata_dim3 block, void **args, size_t shared_bytes, uint64_t stream,
                     bool cooperative)
{
    memset(call, 0, sizeof *call);
    if (runtime_poisoned())
        return runtime_poisoned();
    struct function *f = function_ready(host);
    if (!f)
        return INVALID_DEVICE_FUNCTION;
    if (!dimensions_fit(grid, block))
        return INVALID_CONFIGURATION;
    uint32_t threads = block.x * block.y * block.z;
    int status = resources_fit(f, threads, shared_bytes);
    if (status != OK)
        return status;
    if (cooperative && (uint64_t)grid.x * grid.y * grid.z >
                           (uint64_t)occupancy_blocks(f, threads, shared_bytes) * device.sm_count)
        return COOPERATIVE_TOO_LARGE;
    if (f->entry->n_params && !args)
        return INVALID_VALUE;
    *call = (struct kernel_call){
        f, grid, block, (uint32_t)shared_bytes, cooperative, stream, copy_params(f->entry, args)};
    return call->params ? OK : MEMORY_ALLOCATION;
}

bool kernel_call_copy(struct kernel_call *to, const struct kernel_call *from)
{
    *to = *from;
    to->params = malloc(from->function->entry->param_bytes + 8);
    if (to->params)
        memcpy(to->params, from->params, from->function->entry->param_bytes);
    return to->params != NULL;
}

static void print_text(void *user, const char *text, size_t length)
{
    (void)user;
    fwrite(text, 1, length, stdout);
}

/* The emulator says what went wrong in words only. */
static int error_for(const char *message)
{
    static const struct {
        const char *words;
        int status;
    } causes[] = {{"): assertion ", ASSERT_FAILED},
                  {"): misaligned address", MISALIGNED_ADDRESS},
                  {"): illegal address", ILLEGAL_ADDRESS},
                  {" address 0x", ILLEGAL_ADDRESS}};
    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++)
        if (strstr(message, causes[i].words))
            return causes[i].status;
    return LAUNCH_FAILURE;
}

/* The program sees what a GPU would say: the launch itself succeeds, later calls return the error.
 */
static void kernel_failed(const struct strata_error *err)
{
    char text[1400];
    strata_error_text(err, text, sizeof text);
    if (err->status == STRATA_EUNSUPPORTED || err->status == STRATA_ENOMEM)
        runtime_die(err);
    runtime_complain("a kernel failed: %s", text);
    runtime_report("kernel-failed");
    runtime_poison(error_for(err->message));
}

int kernel_call_run(const struct kernel_call *call)
{
    const struct function *f = call->function;
    struct strata_kernel_launch launch = {.entry = f->entry,
                                          .grid = call->grid,
                                          .block = call->block,
                                          .shared_dynamic_bytes = call->shared_dynamic_bytes,
                                          .params = call->params,
                                          .cooperative = call->cooperative};
    launch.textures = texture_table(&launch.n_textures);
    struct strata_run_options opt;
    strata_run_options_init(&opt);
    opt.threads = config.threads;
    opt.sink = record_begin(call);
    opt.sample_blocks = config.sample_blocks;
    opt.print = print_text;
    opt.instruction_limit = config.instruction_limit;
    opt.interleave = (uint32_t)config.interleave;
    opt.sm_count = device.sm_count;
    struct strata_run_stats stats = {0};
    struct strata_error err;
    strata_status status = strata_module_run(function_module(f), &launch, &opt, &stats, &err);
    record_end(&stats, status == STRATA_OK);
    clock_advance(LAUNCH_US + (double)stats.thread_instructions /
                                  (LANES_PER_SM * device.sm_count * device.clock_khz / 1000.0));
    if (status != STRATA_OK)
        kernel_failed(&err);
    return OK;
}

/* Runs it, or adds it to the graph its stream captures. */
static int submit(const void *host, struct dim3 grid, struct dim3 block, void **args,
                  size_t shared_bytes, const void *stream, bool cooperative)
{
    struct kernel_call call;
    int status = kernel_call_make(&call, host, (struct strata_dim3){grid.x, grid.y, grid.z},
                                  (struct strata_dim3){block.x, block.y, block.z}, args,
                                  shared_bytes, stream_id(stream), cooperative);
    if (status != OK)
        return status;
    struct graph *g = stream_capture(call.stream);
    status = g ? graph_add_kernel(g, &call) : kernel_call_run(&call);
    free(call.params);
    return status;
}

/* A failing kernel must not make its own launch fail: errors of kernels come later. */
static int leave_launch(int status)
{
    if (status == OK) {
        runtime_unlock();
        return OK;
    }
    return runtime_leave(status);
}

unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared_bytes,
                                     void *stream);
__attribute__((visibility("default"))) unsigned
__cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared_bytes, void *stream)
{
    pending.grid = grid;
    pending.block = block;
    pending.shared_bytes = shared_bytes;
    pending.stream = stream;
    pending.full = true;
    return 0;
}

API(__cudaPopCallConfiguration, struct dim3 *grid, struct dim3 *block, size_t *shared_bytes,
    void **stream)
{
    if (!pending.full)
        return MISSING_CONFIGURATION;
    *grid = pending.grid;
    *block = pending.block;
    *shared_bytes = pending.shared_bytes;
    *stream = pending.stream;
    pending.full = false;
    return OK;
}

API(cudaLaunchKernel, const void *host, struct dim3 grid, struct dim3 block, void **args,
    size_t shared_bytes, void *stream)
{
    ENTER();
    return leave_launch(submit(host, grid, block, args, shared_bytes, stream, false));
}
API_ALIAS(cudaLaunchKernel_ptsz, cudaLaunchKernel, const void *host, struct dim3 grid,
          struct dim3 block, void **args, size_t shared_bytes, void *stream);
API_ALIAS(__cudaLaunchKernel, cudaLaunchKernel, const void *host, struct dim3 grid,
          struct dim3 block, void **args, size_t shared_bytes, void *stream);
API_ALIAS(__cudaLaunchKernel_ptsz, cudaLaunchKernel, const void *host, struct dim3 grid,
          struct dim3 block, void **args, size_t shared_bytes, void *stream);

API(cudaLaunchCooperativeKernel, const void *host, struct dim3 grid, struct dim3 block, void **args,
    size_t shared_bytes, void *stream)
{
    ENTER();
    return leave_launch(submit(host, grid, block, args, shared_bytes, stream, true));
}
API_ALIAS(cudaLaunchCooperativeKernel_ptsz, cudaLaunchCooperativeKernel, const void *host,
          struct dim3 grid, struct dim3 block, void **args, size_t shared_bytes, void *stream);

/* cudaLaunchConfig_t and its attributes: an id, padding to 8, a value of 64 bytes. */
struct launch_attribute {
    int id;
    char padding[4];
    union {
        char bytes[64];
        int cooperative;
        unsigned cluster[3];
    } value;
};
struct launch_config {
    struct dim3 grid, block;
    size_t shared_bytes;
    void *stream;
    const struct launch_attribute *attributes;
    unsigned n_attributes;
};
enum { ATTRIBUTE_COOPERATIVE = 2, ATTRIBUTE_CLUSTER = 4 };

API(cudaLaunchKernelExC, const struct launch_config *c, const void *host, void **args)
{
    ENTER();
    bool cooperative = false;
    if (!c)
        LEAVE(INVALID_VALUE);
    for (unsigned i = 0; i < c->n_attributes; i++) {
        const struct launch_attribute *a = &c->attributes[i];
        cooperative |= a->id == ATTRIBUTE_COOPERATIVE && a->value.cooperative;
        if (a->id == ATTRIBUTE_CLUSTER &&
            a->value.cluster[0] * a->value.cluster[1] * a->value.cluster[2] > 1) {
            runtime_complain("clusters of thread blocks are not supported; launch without "
                             "cudaLaunchAttributeClusterDimension.");
            LEAVE(NOT_SUPPORTED);
        }
    }
    return leave_launch(
        submit(host, c->grid, c->block, args, c->shared_bytes, c->stream, cooperative));
}
API_ALIAS(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC, const struct launch_config *c,
          const void *host, void **args);
