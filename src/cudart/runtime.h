/* runtime.h - what the files of the stand-in for libcudart share.
 *
 * The library keeps one state under one lock. Everything runs at the moment it is called, in the
 * order of the calls, whatever stream it names: that order satisfies every stream, event and graph
 * dependency a program can state. Kernels run in the PTX emulator and are recorded if `strata
 * trace` asked for it (see docs/trace.md for the environment variables).
 *
 * Type layouts and numbers are those of the CUDA runtime's interface, 11 to 13. */
#ifndef STRATA_CUDART_RUNTIME_H
#define STRATA_CUDART_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/ptx.h>
#include <strata/status.h>

/* Declares and defines an exported function in one go. */
#define API(name, ...)                                                                             \
    int name(__VA_ARGS__);                                                                         \
    __attribute__((visibility("default"))) int name(__VA_ARGS__)
/* Another exported name of the same function. */
#define API_ALIAS(alias_name, name, ...)                                                           \
    int alias_name(__VA_ARGS__) __attribute__((alias(#name), visibility("default")))

/* cudaError_t */
enum {
    OK = 0,
    INVALID_VALUE = 1,
    MEMORY_ALLOCATION = 2,
    INITIALIZATION_ERROR = 3,
    INVALID_CONFIGURATION = 9,
    INVALID_PITCH = 12,
    INVALID_SYMBOL = 13,
    INVALID_MEMCPY_DIRECTION = 21,
    MISSING_CONFIGURATION = 52,
    INVALID_DEVICE_FUNCTION = 98,
    INVALID_DEVICE = 101,
    INVALID_PTX = 218,
    INVALID_RESOURCE_HANDLE = 400,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    LAUNCH_OUT_OF_RESOURCES = 701,
    PEER_ACCESS_UNSUPPORTED = 217,
    UNSUPPORTED_LIMIT = 215,
    HOST_ALREADY_REGISTERED = 712,
    HOST_NOT_REGISTERED = 713,
    ASSERT_FAILED = 710,
    MISALIGNED_ADDRESS = 716,
    LAUNCH_FAILURE = 719,
    COOPERATIVE_TOO_LARGE = 720,
    NOT_SUPPORTED = 801,
    CAPTURE_UNSUPPORTED = 900,
    CAPTURE_UNMATCHED = 903,
    CAPTURE_IMPLICIT = 906,
    UNKNOWN_ERROR = 999
};

/* cudaMemcpyKind */
enum copy_kind { HOST_TO_HOST = 0, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, COPY_DEFAULT };

struct extent {
    size_t width, height, depth;
};
struct position {
    size_t x, y, z;
};
struct pitched_pointer {
    void *pointer;
    size_t pitch, xsize, ysize;
};
struct channel_format {
    int bits[4];
    int kind; /* 0 signed, 1 unsigned, 2 float */
};
struct copy3d {
    struct array *src_array;
    struct position src_position;
    struct pitched_pointer src;
    struct array *dst_array;
    struct position dst_position;
    struct pitched_pointer dst;
    struct extent extent;
    int kind;
};

/* cudaArray_t: texels in rows, in device memory. */
struct array {
    uint32_t magic;
    struct channel_format format;
    struct extent extent; /* height 0: one-dimensional; depth 0: no third dimension */
    size_t texel_bytes, pitch;
    unsigned flags;
    uint8_t *data;
};

struct stream;
struct event;
struct graph;
struct function;

/* One kernel of a registered module, keyed by the address of its host stub. */
struct function {
    const void *host;
    struct module *module;
    char *name;
    const struct strata_entry *entry; /* NULL until the module is loaded */
    uint32_t registers;               /* per thread */
    uint32_t regs_source;             /* enum strata_regs_source */
    uint32_t shared_static_bytes;
    uint32_t max_dynamic_shared_bytes; /* cudaFuncAttributeMaxDynamicSharedMemorySize */
    int carveout;
};

/* A launch with everything copied, so that a graph can keep it. */
struct kernel_call {
    struct function *function;
    struct strata_dim3 grid, block;
    uint32_t shared_dynamic_bytes;
    bool cooperative;
    uint64_t stream;
    void *params; /* function->entry->param_bytes */
};

/* ---- nvtx.c ---- */

/* Whether this thread is within a range that --nvtx-include names. */
bool nvtx_inside(void);

/* ---- state.c ---- */

struct config {
    bool record, memcheck, quiet;
    const char *output;
    const char *kernel_filter;
    bool in_nvtx_range;                 /* record only what a range encloses, see nvtx.c */
    uint64_t launch_skip, launch_count; /* count 0: no limit */
    uint64_t limit_bytes, sample_blocks, instruction_limit, interleave;
    uint32_t registers; /* 0: as found */
    uint32_t threads;   /* 0: one per core */
    int report_fd;      /* -1: none */
};
extern struct config config;
extern struct strata_arena *arena;

/* Every exported function starts with ENTER and ends with LEAVE(status). */
void runtime_enter(void);
int runtime_leave(int status);
#define ENTER()       runtime_enter()
#define LEAVE(status) return runtime_leave(status)
/* Lets a callback of the program run outside the lock. */
void runtime_unlock(void);
void runtime_lock(void);
/* After a kernel failed, every call returns its error, as on a GPU whose context is lost. */
void runtime_poison(int status);
int runtime_poisoned(void);
/* "strata: ..." on standard error, also kept for `strata trace`'s summary. */
void runtime_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, then the process ends with exit code 4. */
void runtime_die(const struct strata_error *err) __attribute__((noreturn));
/* Ends the process with what was recorded so far if Ctrl-C was pressed. */
void runtime_check_interrupt(void);
/* A line for `strata trace`. */
void runtime_report(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Microseconds of the device's own clock, which moves with the work done. */
double clock_now(void);
void clock_advance(double microseconds);
const char *program_name(void);
const char *error_string(int status);

/* ---- module.c ---- */

struct function *function_find(const void *host);
/* Loads its module on first use; does not return if it cannot be run. NULL: unknown function. */
struct function *function_ready(const void *host);
struct strata_module *function_module(const struct function *f);
/* The variable behind a host shadow; false: none. */
bool symbol_find(const void *host, void **address, size_t *bytes);

/* ---- memory.c ---- */

bool memory_find(uint64_t address, struct strata_memory_range *out);
struct strata_device_memory memory_interface(void);
void *memory_allocate(size_t bytes, size_t align_bytes);
bool memory_release(void *pointer);
uint64_t device_memory_bytes(void);

/* ---- copy.c: shared with graphs; all arguments checked ---- */

int copy_run(const struct copy3d *c);
int copy_linear(void *dst, const void *src, size_t bytes, int kind);
int set_run(void *dst, size_t pitch, unsigned value, unsigned element_bytes, size_t width,
            size_t height);

/* ---- launch.c ---- */

/* Checks and copies a launch; OK, or the error for the program. */
int kernel_call_make(struct kernel_call *call, const void *host, struct strata_dim3 grid,
                     struct strata_dim3 block, void **args, size_t shared_bytes, uint64_t stream,
                     bool cooperative);
int kernel_call_run(const struct kernel_call *call);
bool kernel_call_copy(struct kernel_call *to, const struct kernel_call *from);

/* ---- stream.c and graph.c ---- */

struct graph *stream_capture(uint64_t stream); /* NULL: not capturing */
uint64_t stream_id(const void *stream);
int event_record_now(struct event *e);
/* Add an operation to a graph being captured. */
int graph_add_kernel(struct graph *g, const struct kernel_call *call);
int graph_add_copy(struct graph *g, const struct copy3d *c);
int graph_add_set(struct graph *g, void *dst, size_t pitch, unsigned value, unsigned element_bytes,
                  size_t width, size_t height);
int graph_add_host(struct graph *g, void (*function)(void *), void *data);
int graph_add_event(struct graph *g, struct event *e);
struct graph *graph_new(void);
void graph_free(struct graph *g);

/* ---- texture.c ---- */

const struct strata_texture *const *texture_table(size_t *n);
bool array_valid(const struct array *a);

/* ---- device.c ---- */

/* What programs can ask about the device. */
struct device {
    char name[64];
    uint32_t sm_version, sm_count, clock_khz, memory_clock_khz, bus_bits, max_threads_per_sm,
        max_blocks_per_sm, registers_per_sm, register_alloc_unit;
    uint64_t memory_bytes, l2_bytes, shared_per_sm, shared_per_block, shared_per_block_optin,
        shared_reserved;
};
extern struct device device;
void device_init(void);
uint32_t occupancy_blocks(const struct function *f, uint32_t threads, uint64_t dynamic_bytes);

/* ---- record.c: the trace ---- */

void record_init(void);
void record_copy(uint32_t event_kind, const void *address, uint64_t bytes);
/* The sink for this launch, or NULL if it is not to be recorded. */
const struct strata_record_sink *record_begin(const struct kernel_call *call);
void record_end(const struct strata_run_stats *stats, bool ok);
void record_finish(void);

#endif
