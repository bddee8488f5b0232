/* driver.h - what the files of the stand-in for libcuda share.
 *
 * The library keeps one state under one lock. Everything runs at the moment it is called, in the
 * order of the calls, whatever stream it names: that order satisfies every stream, event and graph
 * dependency a program can state. Kernels run in the emulator and are recorded if `strata trace`
 * asked for it (see docs/trace.md for the environment variables).
 *
 * Functions with names of the interface (cu...) take the lock; all others are called with it. */
#ifndef STRATA_CUDA_DRIVER_H
#define STRATA_CUDA_DRIVER_H

#define STRATA_CUDA_ALL_VERSIONS
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/emulator.h>
#include <strata/gpu.h>
#include <strata/status.h>
#include <strata_cuda/driver_api.h>

#include "cuda/order.h"

/* Another exported name of the same function: the variants for a default stream per thread, and
 * older versions with the same arguments. */
#define ALIAS(alias_name, name) extern __typeof__(name) alias_name __attribute__((alias(#name)))

/* ---- state.c: the lock, configuration, errors ---- */

struct config {
    bool record, memcheck, quiet;
    bool kill; /* the program ends when nothing more will be recorded */
    const char *output;
    const char *kernel_filter;
    bool in_nvtx_range;                 /* record only what a range encloses */
    uint64_t launch_skip, launch_count; /* count 0: no limit */
    uint64_t limit_bytes, sample_blocks, instruction_limit, interleave;
    uint64_t sample_millionths; /* of the work that is to be recorded whole; 0: all */
    uint32_t registers;         /* 0: as found */
    uint32_t threads;           /* 0: one per core */
    const char *code;           /* "auto", "sass", "ptx"; NULL: auto */
    const char *ptxas;          /* a compiler for PTX; NULL: PTX is run */
};
extern struct config config;

#define MAX_CLUSTER 8 /* blocks; twice that where a function allows more than is portable */

enum need {
    NEED_NOTHING, /* works before cuInit */
    NEED_INIT,
    NEED_CONTEXT /* a current context that has not failed */
};
/* Takes the lock. Anything but CUDA_SUCCESS: the call ends with it, and the lock is free again. */
CUresult driver_enter(enum need need);
CUresult driver_leave(CUresult status);
#define ENTER(need)                                                                                \
    do {                                                                                           \
        CUresult entered = driver_enter(need);                                                     \
        if (entered != CUDA_SUCCESS)                                                               \
            return entered;                                                                        \
    } while (0)
#define LEAVE(status) return driver_leave(status)

/* Let a callback of the program run outside the lock. */
void driver_unlock(void);
void driver_lock(void);
/* "strata: ..." on standard error, also kept for `strata trace`'s summary. */
void driver_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for what Strata does not support: named once. */
CUresult driver_refuse(const char *name, bool *told);
/* Ends the process with exit code 4. */
void driver_die(const struct strata_error *err) __attribute__((noreturn));
/* Ends the process with what was recorded so far if Ctrl-C was pressed or it was told to end. */
void driver_check_interrupt(void);
/* Ends the process with what was recorded so far; `strata trace` is told the word. */
void driver_end_program(const char *word, int code) __attribute__((noreturn));
/* A line for `strata trace`. */
void driver_report(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Microseconds of the device's own clock, which moves with the work done. */
double clock_now(void);
void clock_advance(double microseconds);
const char *program_name(void);

/* ---- object.c: what handles point to ---- */

enum object_kind {
    OBJECT_CONTEXT = 1,
    OBJECT_MODULE, /* modules and libraries */
    OBJECT_FUNCTION,
    OBJECT_STREAM,
    OBJECT_EVENT,
    OBJECT_GRAPH, /* also instantiated */
    OBJECT_NODE,
    OBJECT_ARRAY,
    OBJECT_MIPMAP,
    OBJECT_POOL,
    OBJECT_LINK,
    OBJECT_PHYSICAL, /* memory of cuMemCreate */
    OBJECT_USER,
};

/* First member of everything a handle points to. */
struct object {
    enum object_kind kind;
    CUcontext owner;                  /* ends with it; NULL: belongs to the process */
    void (*destroy)(struct object *); /* releases it, handle included */
};

/* False: no memory. */
bool object_add(struct object *o, enum object_kind kind, CUcontext owner,
                void (*destroy)(struct object *));
/* Never reads what the handle points to unless it is alive. */
bool object_is(const void *handle, enum object_kind kind);
void object_remove(struct object *o);
/* Destroys what belongs to the context. */
void object_destroy_owned(CUcontext owner);

/* ---- context.c ---- */

struct CUctx_st {
    struct object object;
    bool is_primary;
    unsigned flags;
    uint64_t id;
    CUresult failed; /* a kernel failed: every call says so from then on */
    CUfunc_cache cache;
    struct stored *stored; /* context-local storage, see export_table.c */
    size_t n_stored, cap_stored;
};
size_t context_limit(CUlimit limit);
CUcontext context_current(void); /* NULL: none */
CUcontext context_primary(void); /* made if need be; NULL: no memory */
void context_fail(CUcontext c, CUresult status);

/* ---- device.c ---- */

/* What programs can ask about the device. */
struct device {
    char name[64];
    uint32_t sm_version, sm_count, clock_mhz, max_threads_per_sm, max_blocks_per_sm,
        registers_per_sm, register_alloc_unit;
    uint32_t channels, channel_bytes, memory_clock_mhz, data_rate; /* of the memory */
    uint64_t memory_bytes, l2_bytes, shared_per_sm, shared_per_block, shared_per_block_optin,
        shared_reserved, persisting_max_bytes, window_max_bytes;
    struct strata_gpu timing; /* what clocks of kernels go by */
};
extern struct device device;
void device_init(void);

/* ---- memory.c ---- */

enum memory_kind {
    MEMORY_DEVICE,
    MEMORY_HOST,       /* page-locked, ours */
    MEMORY_REGISTERED, /* page-locked, the program's */
    MEMORY_MANAGED,
    MEMORY_MODULE,   /* variables of modules, in-kernel malloc */
    MEMORY_RESERVED, /* addresses only (cuMemAddressReserve) */
    MEMORY_MAPPED,   /* a part of such that is mapped */
};
struct allocation {
    uint64_t base, bytes;
    enum memory_kind kind;
    CUcontext owner;
    unsigned flags;
    uint64_t id;
    bool accessible, sync_memops;
    CUmemoryPool pool;
    struct physical *physical; /* of MEMORY_MAPPED */
};
void memory_start(void);
/* The allocation that holds the address; NULL: none. Valid until it is removed. */
struct allocation *allocation_find(uint64_t address);
/* The first one at or after the address, and the one after another; NULL: none. */
struct allocation *allocation_at(size_t index);
size_t allocation_count(void);
struct allocation *allocation_add(const struct allocation *a);
void allocation_remove(struct allocation *a);
bool memory_find(uint64_t address, struct strata_memory_range *out);
struct strata_device_memory memory_interface(void);
/* Zeroes device memory, large ranges without touching it; false: it is not device memory of ours.
 */
bool memory_zero(void *at, size_t bytes);
/* CUDA_SUCCESS, or why not. `bytes` > 0. */
CUresult memory_allocate(uint64_t *address, uint64_t bytes, enum memory_kind kind, unsigned flags);
CUresult memory_release(uint64_t address, bool host);
void memory_release_owned(CUcontext owner);
/* Addresses only, outside the device's memory budget. */
void *memory_reserve(uint64_t bytes, uint64_t align_bytes);
void memory_unreserve(void *at);
uint64_t memory_free_bytes(void);
bool memory_take(uint64_t bytes); /* of the device's budget */
void memory_give_back(uint64_t bytes);

/* ---- copy.c ---- */

/* One side of a copy. */
struct side {
    uint8_t *base;
    size_t pitch, slice;
    bool is_device;
};
struct copy {
    struct side dst, src;
    size_t width, height, depth;
};
CUresult copy_describe(const CUDA_MEMCPY3D *c, struct copy *out);
CUresult copy_run(const struct copy *c);
struct fill {
    uint64_t dst;
    size_t pitch;
    unsigned value, element_bytes;
    size_t width, height;
};
CUresult fill_run(const struct fill *f);

/* ---- array.c ---- */

struct CUarray_st {
    struct object object;
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    size_t texel_bytes, pitch, slice;
    uint8_t *data;
    bool is_level; /* of a mipmapped array, which owns the texels */
};
struct CUmipmappedArray_st {
    struct object object;
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    unsigned n_levels;
    CUarray level[16];
};
/* Bits of one channel and their meaning; false: not a plain format. */
bool format_describe(CUarray_format format, uint8_t *bits, uint8_t *kind);

/* ---- texture.c ---- */

const struct strata_texture *const *texture_table(size_t *n);

/* ---- module.c ---- */

struct CUmod_st; /* a module or a library */

/* A kernel, known as CUfunction and CUkernel alike. */
struct CUfunc_st {
    struct object object;
    struct CUmod_st *module;
    struct strata_module *code; /* the module's, or its PTX where machine code cannot be run */
    char *name;
    const struct strata_entry *entry; /* NULL until the module is loaded */
    uint32_t registers;               /* per thread */
    uint32_t regs_source;             /* enum strata_regs_source */
    uint32_t shared_static_bytes;
    uint32_t max_dynamic_shared_bytes; /* CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
    uint32_t launch_shared_bytes;      /* cuFuncSetSharedSize, for cuLaunch */
    struct strata_dim3 launch_block;   /* cuFuncSetBlockShape */
    uint32_t cluster[3];               /* of the function itself, 0: none */
    int carveout;
    bool nonportable_cluster;
};
/* Loads what the handle names; CUDA_ERROR_INVALID_HANDLE: not a kernel. */
CUresult function_ready(const void *handle, CUfunction *out);
struct strata_module *function_module(const struct CUfunc_st *f);

/* ---- occupancy.c ---- */

uint32_t occupancy_blocks(const struct CUfunc_st *f, uint32_t threads, uint64_t dynamic_bytes);

/* ---- launch.c ---- */

/* A launch with everything copied, so that a graph can keep it. */
struct kernel_call {
    CUfunction function;
    struct strata_dim3 grid, block;
    uint32_t cluster[3]; /* 0: none */
    uint32_t shared_dynamic_bytes;
    bool cooperative;
    bool dependent; /* may begin before the launch before it has ended */
    uint64_t stream;
    int priority;
    struct strata_access_window window;
    void *params; /* function->entry->param_bytes, and room */
};
/* Checks and copies. */
CUresult kernel_call_make(struct kernel_call *call, const CUlaunchConfig *c, const void *function,
                          void **params, void **extra);
/* An access policy window as a trace tells it; whether the device takes it. */
struct strata_access_window window_of(const CUaccessPolicyWindow *w);
bool window_is_valid(const CUaccessPolicyWindow *w);
CUresult kernel_call_run(const struct kernel_call *call);
bool kernel_call_copy(struct kernel_call *to, const struct kernel_call *from);

/* ---- stream.c ---- */

struct CUstream_st {
    struct object object;
    uint64_t id;
    unsigned flags;
    int priority;
    CUgraph capture;   /* NULL: not capturing */
    bool is_origin;    /* began the capture itself */
    bool into_graph;   /* the graph is the program's own */
    CUgraphNode *tail; /* what the next captured node depends on */
    size_t n_tail, cap_tail;
    CUlaunchAttributeValue attribute[24]; /* by CUlaunchAttributeID */
    struct order_stream order;
};
/* A stream's value of an attribute; NULL: the default stream. */
CUlaunchAttributeValue *stream_attribute(CUstream s, CUlaunchAttributeID which);
struct CUevent_st {
    struct object object;
    unsigned flags;
    bool recorded;
    double time_us;
    CUgraph capture; /* recorded while its stream captured this graph */
    CUgraphNode *tail;
    size_t n_tail, cap_tail;
    struct op_set done; /* what had been issued when it was recorded */
};
/* False: not a stream. *out is NULL for a default stream. */
bool stream_find(CUstream handle, CUstream *out);
CUgraph stream_capture(CUstream handle);
uint64_t stream_id(CUstream handle);
/* `done`: the operations before it. */
void event_record_now(CUevent e, const struct op_set *done);
static inline struct order_stream *stream_order(CUstream s)
{
    return s ? &s->order : NULL;
}

/* ---- graph.c ---- */

struct host_call {
    CUhostFn function;
    void *data;
};
/* Adds what a stream captures: the node follows what the stream did before. */
CUresult capture_kernel(CUstream s, const struct kernel_call *call);
CUresult capture_copy(CUstream s, const struct copy *c, const CUDA_MEMCPY3D *description);
CUresult capture_fill(CUstream s, const struct fill *f);
CUresult capture_host(CUstream s, const struct host_call *h);
CUresult capture_event_record(CUstream s, CUevent e);
CUresult capture_graph(CUstream s, CUgraph g);
CUresult capture_memory(CUstream s, CUgraphNodeType kind, uint64_t address);
CUgraph graph_new(void);

/* ---- record.c: the trace ---- */

void record_init(void);
/* flags: enum strata_event_flag. */
void record_copy(uint32_t event_kind, uint32_t flags, const void *address, uint64_t bytes);
/* The sink for this launch, or NULL if it is not to be recorded, and how many of its blocks are, 0
 * for all. */
const struct strata_record_sink *record_begin(const struct kernel_call *call,
                                              uint64_t *sample_blocks);
void record_end(const struct strata_run_stats *stats, bool ok);
/* Persisting lines of the L2 were made normal ones. */
void record_persisting_reset(void);
/* The host waited for operations of a set, or for all (NULL): what was recorded is in the file. */
void record_host_waited(const struct op_set *set);
void record_finish(void);
/* In a forked child: the trace is the parent's. */
void record_forget(void);

/* ---- nvtx.c ---- */

/* Whether this thread is within a range that --nvtx-include names. */
bool nvtx_inside(void);

#endif
