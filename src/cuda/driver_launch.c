/* driver_launch.c - kernel launches: checks, parameters, running. */
#include "cuda/driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <strata/trace.h>

#include "base/array.h"
#include "cuda/module.h"

#define MAX_BLOCK_THREADS 1024
#define LAUNCH_US         3.0 /* the device's clock: cost of a launch */
#define LANES_PER_SM      128.0
#define PARAM_ROOM        8 /* behind the parameters, for loads that are wider than the last one */

static bool dimensions_fit(struct strata_dim3 grid, struct strata_dim3 block)
{
    if (!grid.x || !grid.y || !grid.z || !block.x || !block.y || !block.z)
        return false;
    return grid.x <= 0x7fffffff && grid.y <= 65535 && grid.z <= 65535 && block.x <= 1024 &&
           block.y <= 1024 && block.z <= 64 &&
           (uint64_t)block.x * block.y * block.z <= MAX_BLOCK_THREADS;
}

static CUresult resources_fit(const struct CUfunc_st *f, struct strata_dim3 block,
                              uint64_t dynamic_bytes)
{
    uint32_t threads = block.x * block.y * block.z, warps = (threads + 31) / 32;
    if (f->entry->max_threads && threads > f->entry->max_threads)
        return CUDA_ERROR_INVALID_VALUE;
    uint64_t limit = f->max_dynamic_shared_bytes;
    if (limit < device.shared_per_block)
        limit = device.shared_per_block;
    if (dynamic_bytes > limit ||
        dynamic_bytes + f->shared_static_bytes > device.shared_per_block_optin)
        return CUDA_ERROR_INVALID_VALUE;
    if (f->regs_source == STRATA_REGS_CUBIN &&
        (uint64_t)warps * 32 * f->registers > device.registers_per_sm)
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    return CUDA_SUCCESS;
}

/* ---- parameters ---- */

/* Neither the number nor the sizes of the arguments are passed: both come from the code. */
static bool copy_pointers(const struct strata_entry *entry, void **params, uint8_t *block)
{
    for (uint32_t i = 0; i < entry->n_params; i++) {
        if (!params[i])
            return false;
        memcpy(block + entry->params[i].offset_bytes, params[i], entry->params[i].size_bytes);
    }
    return true;
}

/* The other form: pairs of a name and a value, ended by 0. */
static bool copy_buffer(const struct strata_entry *entry, void **extra, uint8_t *block)
{
    const void *buffer = NULL;
    size_t bytes = 0;
    for (size_t i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
        if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = extra[i + 1];
        else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE)
            bytes = *(const size_t *)extra[i + 1];
        else
            return false;
    }
    if (bytes > entry->param_bytes + PARAM_ROOM || (bytes && !buffer))
        return false;
    if (bytes)
        memcpy(block, buffer, bytes);
    return bytes >= entry->param_bytes;
}

static CUresult copy_params(struct kernel_call *call, void **params, void **extra)
{
    const struct strata_entry *entry = call->function->entry;
    if (params && extra)
        return CUDA_ERROR_INVALID_VALUE;
    call->params = calloc(1, entry->param_bytes + PARAM_ROOM);
    if (!call->params)
        return CUDA_ERROR_OUT_OF_MEMORY;
    bool good = extra    ? copy_buffer(entry, extra, call->params)
                : params ? copy_pointers(entry, params, call->params)
                         : entry->n_params == 0;
    if (good)
        return CUDA_SUCCESS;
    free(call->params);
    call->params = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}

/* ---- making a launch ---- */

/* One that is too large is cut, as the interface allows. */
struct strata_access_window window_of(const CUaccessPolicyWindow *w)
{
    uint64_t most = device.window_max_bytes;
    return (struct strata_access_window){.base = (uint64_t)(uintptr_t)w->base_ptr,
                                         .bytes = w->num_bytes < most ? w->num_bytes : most,
                                         .hit_ratio = w->hitRatio,
                                         .hit = (uint8_t)w->hitProp,
                                         .miss = (uint8_t)w->missProp};
}

bool window_is_valid(const CUaccessPolicyWindow *w)
{
    return !w->num_bytes || (w->hitRatio >= 0 && w->hitRatio <= 1 &&
                             (unsigned)w->hitProp < STRATA_N_ACCESS_PROPERTIES &&
                             (w->missProp == CU_ACCESS_PROPERTY_NORMAL ||
                              w->missProp == CU_ACCESS_PROPERTY_STREAMING));
}

/* Of the attributes only these change what runs or what a trace tells; the others steer
 * scheduling. */
static CUresult read_attributes(struct kernel_call *call, const CUlaunchConfig *c)
{
    if (c->numAttrs && !c->attrs)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < c->numAttrs; i++) {
        const CUlaunchAttributeValue *v = &c->attrs[i].value;
        switch (c->attrs[i].id) {
        case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
            call->cooperative = v->cooperative != 0;
            break;
        case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
            call->cluster[0] = v->clusterDim.x;
            call->cluster[1] = v->clusterDim.y;
            call->cluster[2] = v->clusterDim.z;
            break;
        case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
            if (!window_is_valid(&v->accessPolicyWindow))
                return CUDA_ERROR_INVALID_VALUE;
            call->window = window_of(&v->accessPolicyWindow);
            break;
        case CU_LAUNCH_ATTRIBUTE_PRIORITY:
            call->priority = v->priority;
            break;
        case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
            call->dependent = v->programmaticStreamSerializationAllowed != 0;
            break;
        default:
            break;
        }
    }
    return CUDA_SUCCESS;
}

static CUresult check_cluster(const struct kernel_call *call)
{
    const uint32_t *k = call->cluster;
    if (!k[0] && !k[1] && !k[2])
        return CUDA_SUCCESS;
    if (!k[0] || !k[1] || !k[2] || call->grid.x % k[0] || call->grid.y % k[1] ||
        call->grid.z % k[2]) {
        driver_complain("kernel \"%s\" is not launched: its grid of %ux%ux%u blocks is no multiple "
                        "of clusters of %ux%ux%u.",
                        call->function->name, call->grid.x, call->grid.y, call->grid.z, k[0], k[1],
                        k[2]);
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    }
    uint64_t blocks = (uint64_t)k[0] * k[1] * k[2];
    unsigned most = call->function->nonportable_cluster ? 2 * MAX_CLUSTER : MAX_CLUSTER;
    if (blocks <= most)
        return CUDA_SUCCESS;
    driver_complain(
        "kernel \"%s\" is not launched: a cluster of %ux%ux%u blocks is larger than the "
        "%u that a GPC holds%s.",
        call->function->name, k[0], k[1], k[2], most,
        most == MAX_CLUSTER ? " unless the function allows non-portable sizes" : "");
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
}

static bool required_block(const struct strata_entry *e, struct strata_dim3 block)
{
    const uint32_t *r = e->required_threads;
    return !r[0] ||
           (block.x == r[0] && block.y == (r[1] ? r[1] : 1) && block.z == (r[2] ? r[2] : 1));
}

CUresult kernel_call_make(struct kernel_call *call, const CUlaunchConfig *c, const void *function,
                          void **params, void **extra)
{
    CUfunction f;
    CUresult status = function_ready(function, &f);
    if (status != CUDA_SUCCESS)
        return status;
    *call = (struct kernel_call){
        .function = f,
        .grid = {c->gridDimX, c->gridDimY, c->gridDimZ},
        .block = {c->blockDimX, c->blockDimY, c->blockDimZ},
        .cluster = {f->cluster[0], f->cluster[1], f->cluster[2]},
        .shared_dynamic_bytes = c->sharedMemBytes,
        .stream = stream_id(c->hStream),
    };
    if (!call->cluster[0])
        memcpy(call->cluster, f->entry->required_cluster, sizeof call->cluster);
    if (!dimensions_fit(call->grid, call->block) || !required_block(f->entry, call->block))
        return CUDA_ERROR_INVALID_VALUE;
    status = resources_fit(f, call->block, c->sharedMemBytes);
    if (status == CUDA_SUCCESS)
        status = read_attributes(call, c);
    if (status == CUDA_SUCCESS)
        status = check_cluster(call);
    uint32_t threads = call->block.x * call->block.y * call->block.z;
    if (status == CUDA_SUCCESS && call->cooperative &&
        (uint64_t)call->grid.x * call->grid.y * call->grid.z >
            (uint64_t)occupancy_blocks(f, threads, c->sharedMemBytes) * device.sm_count)
        status = CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    return status == CUDA_SUCCESS ? copy_params(call, params, extra) : status;
}

bool kernel_call_copy(struct kernel_call *to, const struct kernel_call *from)
{
    uint32_t bytes = from->function->entry->param_bytes;
    *to = *from;
    to->params = calloc(1, bytes + PARAM_ROOM);
    if (to->params)
        memcpy(to->params, from->params, bytes);
    return to->params != NULL;
}

/* ---- running ---- */

static void print_text(void *user, const char *text, size_t length)
{
    (void)user;
    fwrite(text, 1, length, stdout);
}

/* The emulator says what went wrong in words only. */
static CUresult error_for(const char *message)
{
    static const struct {
        const char *words;
        CUresult status;
    } causes[] = {{"): assertion ", CUDA_ERROR_ASSERT},
                  {"): misaligned address", CUDA_ERROR_MISALIGNED_ADDRESS},
                  {"): illegal address", CUDA_ERROR_ILLEGAL_ADDRESS},
                  {" address 0x", CUDA_ERROR_ILLEGAL_ADDRESS}};
    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++)
        if (strstr(message, causes[i].words))
            return causes[i].status;
    return CUDA_ERROR_LAUNCH_FAILED;
}

/* The program sees what a GPU would say: the launch itself succeeds, later calls return the error.
 */
static void kernel_failed(const struct strata_error *err)
{
    char text[1400];
    strata_error_text(err, text, sizeof text);
    if (err->status == STRATA_EUNSUPPORTED || err->status == STRATA_ENOMEM)
        driver_die(err);
    driver_complain("a kernel failed: %s", text);
    driver_report("kernel-failed");
    context_fail(context_current(), error_for(err->message));
}

/* Once for a program is enough: such kernels mostly do it in every launch. */
static void warn_of_stray_loads(const struct CUfunc_st *f, uint64_t loads)
{
    static bool warned;
    if (!loads || warned)
        return;
    warned = true;
    driver_complain("warning: kernel \"%s\" loaded %llu times from addresses just outside of an "
                    "allocation, where a GPU gives some value; --memcheck ends it there and says "
                    "where.",
                    f->name, (unsigned long long)loads);
}

static void warn_of_stray_stores(const struct CUfunc_st *f, uint64_t stores)
{
    static bool warned;
    if (!stores || warned)
        return;
    warned = true;
    driver_complain(
        "warning: kernel \"%s\" stored %llu times outside of an allocation but in its "
        "page of 2 MiB, where a GPU overwrites what lies there; --memcheck ends it there "
        "and says where.",
        f->name, (unsigned long long)stores);
}

/* ---- kernels that kernels launch ---- */

struct children {
    const struct kernel_call *parent;
    struct kernel_call *list;
    size_t n, cap;
    CUresult status;
};

static void take_child(void *user, const struct strata_kernel_launch *launch)
{
    struct children *c = user;
    struct kernel_call call = {.grid = launch->grid,
                               .block = launch->block,
                               .shared_dynamic_bytes = launch->shared_dynamic_bytes,
                               .stream = c->parent->stream,
                               .priority = c->parent->priority};
    if (c->status == CUDA_SUCCESS)
        c->status =
            module_function(c->parent->function->module, launch->entry->name, &call.function);
    if (c->status != CUDA_SUCCESS)
        return;
    call.params = malloc(launch->entry->param_bytes + PARAM_ROOM);
    if (!call.params || !ARRAY_RESERVE(c->list, c->n, c->cap, 1)) {
        free(call.params);
        c->status = CUDA_ERROR_OUT_OF_MEMORY;
        return;
    }
    memcpy(call.params, launch->params, launch->entry->param_bytes);
    c->list[c->n++] = call;
}

/* Depth first: a launch is complete when all that it launched is. */
static CUresult run_children(struct children *c)
{
    for (size_t i = 0; i < c->n; i++) {
        if (c->status == CUDA_SUCCESS)
            c->status = kernel_call_run(&c->list[i]);
        free(c->list[i].params);
    }
    free(c->list);
    return c->status;
}

/* ---- running ---- */

/* Whether this process lives on without the thread that main() ran in. */
static bool main_thread_has_ended(void)
{
    char text[256] = "";
    snprintf(text, sizeof text, "/proc/self/task/%d/stat", (int)getpid());
    FILE *f = getpid() == gettid() ? NULL : fopen(text, "re");
    if (!f)
        return false;
    size_t n = fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    fclose(f);
    const char *state = strrchr(text, ')'); /* behind the program's name */
    return state && state[1] == ' ' && state[2] == 'Z';
}

/* The destructor of a thread's own data says that the thread is ending. */
static pthread_key_t thread_data;
static bool has_thread_data;
static _Thread_local bool is_watched, is_ending;

static void note_ending(void *unused)
{
    (void)unused;
    is_ending = true;
}

static void watch_thread(void)
{
    is_watched = is_watched || (has_thread_data && !pthread_setspecific(thread_data, &thread_data));
}

/* The thread of main() may end last without having launched. */
__attribute__((constructor)) static void watch_first_thread(void)
{
    has_thread_data = !pthread_key_create(&thread_data, note_ending);
    watch_thread();
}

__attribute__((destructor)) static void stop_watching(void)
{
    if (has_thread_data)
        pthread_key_delete(thread_data);
    has_thread_data = false;
}

/* The C library ends the process with its last thread. If that runs the program's exit functions
 * and they launch, a thread of ours that ends would be the last one once more, end the process in
 * its turn and wait for this one, which waits for it. So such launches have no other thread. The
 * last thread's own data are gone by then; of one that never launched only the end of main() can be
 * seen. */
static uint32_t threads_for(const struct kernel_call *call)
{
    bool is_small = (uint64_t)call->grid.x * call->grid.y * call->grid.z < 2;
    bool may_be_last = is_watched ? is_ending : !is_small && main_thread_has_ended();
    watch_thread();
    return may_be_last ? 1 : config.threads;
}

CUresult kernel_call_run(const struct kernel_call *call)
{
    const struct CUfunc_st *f = call->function;
    if (!object_is(f, OBJECT_FUNCTION)) /* a graph may outlive the module */
        return CUDA_ERROR_INVALID_HANDLE;
    struct strata_kernel_launch launch = {
        .entry = f->entry,
        .grid = call->grid,
        .block = call->block,
        .shared_dynamic_bytes = call->shared_dynamic_bytes,
        .params = call->params,
        .cooperative = call->cooperative,
        .cluster = {call->cluster[0], call->cluster[1], call->cluster[2]}};
    launch.textures = texture_table(&launch.n_textures);
    struct strata_run_options opt;
    strata_run_options_init(&opt);
    opt.threads = threads_for(call);
    opt.sink = record_begin(call, &opt.sample_blocks);
    opt.print = print_text;
    opt.instruction_limit = config.instruction_limit;
    opt.interleave = (uint32_t)config.interleave;
    opt.sm_count = device.sm_count;
    opt.gpu = &device.timing;
    opt.blocks_per_sm = occupancy_blocks(f, call->block.x * call->block.y * call->block.z,
                                         call->shared_dynamic_bytes);
    struct children children = {.parent = call};
    opt.child = take_child;
    opt.child_user = &children;
    struct strata_run_stats stats = {0};
    struct strata_error err;
    strata_status status = strata_module_run(function_module(f), &launch, &opt, &stats, &err);
    record_end(&stats, status == STRATA_OK);
    clock_advance(LAUNCH_US + (double)stats.thread_instructions /
                                  (LANES_PER_SM * device.sm_count * (double)device.clock_mhz));
    warn_of_stray_loads(f, stats.stray_loads);
    warn_of_stray_stores(f, stats.stray_stores);
    if (status != STRATA_OK)
        kernel_failed(&err);
    return run_children(&children);
}

/* Runs it, or adds it to the graph its stream captures. */
static CUresult submit(const CUlaunchConfig *c, const void *function, void **params, void **extra,
                       bool cooperative)
{
    struct kernel_call call;
    CUstream s;
    ENTER(NEED_CONTEXT);
    if (!stream_find(c->hStream, &s))
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    CUlaunchConfig with = *c;
    bool own_window = false;
    for (unsigned i = 0; c->attrs && i < c->numAttrs; i++)
        own_window |= c->attrs[i].id == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW;
    if (cooperative) {
        with.attrs = &attribute;
        with.numAttrs = 1;
    }
    CUresult status = kernel_call_make(&call, &with, function, params, extra);
    if (status != CUDA_SUCCESS)
        LEAVE(status);
    if (!own_window)
        call.window = window_of(
            &stream_attribute(s, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW)->accessPolicyWindow);
    order_issue_to(stream_order(s), call.dependent);
    status = s && s->capture ? capture_kernel(s, &call) : kernel_call_run(&call);
    free(call.params);
    LEAVE(status);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **params, void **extra)
{
    return c ? submit(c, f, params, extra, false) : CUDA_ERROR_INVALID_VALUE;
}
ALIAS(cuLaunchKernelEx_ptsz, cuLaunchKernelEx);

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared_bytes, CUstream stream,
                        void **params, void **extra)
{
    CUlaunchConfig c = {gx, gy, gz, bx, by, bz, shared_bytes, stream, NULL, 0};
    return submit(&c, f, params, extra, false);
}
ALIAS(cuLaunchKernel_ptsz, cuLaunchKernel);

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                   unsigned by, unsigned bz, unsigned shared_bytes, CUstream stream,
                                   void **params)
{
    CUlaunchConfig c = {gx, gy, gz, bx, by, bz, shared_bytes, stream, NULL, 0};
    return submit(&c, f, params, NULL, true);
}
ALIAS(cuLaunchCooperativeKernel_ptsz, cuLaunchCooperativeKernel);
