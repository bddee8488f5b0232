/* strata/emulator.h - modules of GPU code that can be run without a GPU, whatever their code is.
 *
 * A launch runs an entry function of a module over a grid, on host memory: device pointers are
 * plain host pointers. If a sink is given, every warp instruction is recorded in the terms of
 * <strata/trace.h>, with the opcodes of the module's code (strata_module_isa).
 *
 * Results, trace and printed text do not depend on the number of threads: the
 * effect is always that of one fixed order of the blocks (see
 * strata_module_run). Device addresses are the host's, so a trace repeats byte by
 * byte only if device memory lies at the same addresses: use the arena below.
 *
 * Threads: a module may be used by one thread at a time (strata_module_run starts
 * its own workers). */
#ifndef STRATA_EMULATOR_H
#define STRATA_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/status.h>
#include <strata/trace.h>

/* Generic addresses with these bits name shared and local memory; everything below is global. */
#define STRATA_SHARED_WINDOW 0x0100000000000000ull
#define STRATA_LOCAL_WINDOW  0x0200000000000000ull
#define STRATA_CODE_WINDOW   0x0300000000000000ull /* addresses of functions */

/* ---- device memory ---- */

struct strata_memory_range {
    uint64_t base, bytes;
};

/* Where module variables and in-kernel malloc come from, and which addresses a kernel may touch.
 * allocate/release are never called by two threads at once; find may be, while neither of them
 * runs. */
struct strata_device_memory {
    void *user;
    /* NULL if there is no room. Contents need not be zero. NULL function: the C library. */
    void *(*allocate)(void *user, uint64_t bytes, uint64_t align_bytes);
    void (*release)(void *user, void *memory);
    /* The allocation that holds `address`; false if there is none. Without it (NULL) a wild address
     * of a kernel crashes the process, and kernels that store to global memory run on one thread,
     * since nothing tells their buffers apart. */
    bool (*find)(void *user, uint64_t address, struct strata_memory_range *out);
    /* May [address, address + bytes), which is in no allocation, be read all the same? GPUs map
     * whole pages, so a load a little outside an allocation gives some value there. Loads only;
     * they are counted. NULL: no. */
    bool (*near)(void *user, uint64_t address, uint64_t bytes);
    /* May it be stored to? GPUs do so up to the end of a page that holds an allocation; what lies
     * there is overwritten. Counted too. NULL: no. */
    bool (*in_page)(void *user, uint64_t address, uint64_t bytes);
};

/* An allocator over one reserved range of addresses, the same in every run where the system allows
 * it. First fit, so that a program that repeats its calls gets the same addresses. Not
 * thread-safe. */
struct strata_arena;
strata_status strata_arena_create(uint64_t reserve_bytes, struct strata_arena **out,
                                  struct strata_error *err); /* 0: 64 GiB of addresses */
void strata_arena_destroy(struct strata_arena *arena);
void *strata_arena_allocate(struct strata_arena *arena, uint64_t bytes, uint64_t align_bytes);
/* The same; what fits into a page of `page_bytes` (a power of two) does not cross into the next. */
void *strata_arena_allocate_paged(struct strata_arena *arena, uint64_t bytes, uint64_t align_bytes,
                                  uint64_t page_bytes);
/* False: `memory` is not the start of an allocation. */
bool strata_arena_release(struct strata_arena *arena, void *memory);
bool strata_arena_find(const struct strata_arena *arena, uint64_t address,
                       struct strata_memory_range *out);
/* Zeroes a range inside the arena; whole pages are given back to the system, which takes neither
 * time nor room for what the program never uses. False: it is not inside. */
bool strata_arena_zero(struct strata_arena *arena, void *from, uint64_t bytes);
uint64_t strata_arena_used_bytes(const struct strata_arena *arena);
/* Does [address, address + bytes) lie within STRATA_ARENA_MARGIN bytes of an allocation? Such
 * addresses can be read, those before the first allocation too. */
#define STRATA_ARENA_MARGIN 65536
bool strata_arena_near(const struct strata_arena *arena, uint64_t address, uint64_t bytes);
/* Does [address, address + bytes) lie in pages of `page_bytes` (a power of two) that each hold a
 * part of an allocation? */
bool strata_arena_in_page(const struct strata_arena *arena, uint64_t address, uint64_t bytes,
                          uint64_t page_bytes);
/* Allocate, release and find as a memory for modules; `near` and `in_page` are left out. */
struct strata_device_memory strata_arena_memory(struct strata_arena *arena);

/* ---- modules ---- */

/* Opaque. Made from PTX by strata_ptx_module_create (<strata/ptx.h>), from machine code by
 * strata_sass_module_create (<strata/sass.h>); everything below is the same for both. */
struct strata_module;

void strata_module_destroy(struct strata_module *m); /* NULL is allowed */

struct strata_param {
    const char *name;
    uint32_t offset_bytes, size_bytes, align_bytes;
};

struct strata_entry {
    const char *name; /* mangled */
    const char *source;
    const char *source_file; /* where most of its lines stand; NULL: unknown */
    uint32_t n_params;
    const struct strata_param *params;
    uint32_t param_bytes; /* size of the parameter block */
    uint32_t shared_static_bytes;
    bool uses_dynamic_shared;     /* refers to an extern .shared array */
    uint32_t local_bytes;         /* per thread, of the entry function itself */
    uint32_t registers;           /* per thread */
    bool registers_are_exact;     /* else an estimate from the liveness of virtual registers */
    uint32_t max_threads;         /* it may be launched with, 0: as hardware allows */
    uint32_t required_threads[3]; /* it must be launched with, 0: any */
    uint32_t min_blocks_per_sm;   /* 0: not said */
    uint32_t instructions;        /* static, functions it calls included */
    uint32_t required_cluster[3]; /* blocks of a cluster it must be launched in, 0: any */
};

size_t strata_module_entry_count(const struct strata_module *m);
const struct strata_entry *strata_module_entry_get(const struct strata_module *m, size_t i);
const struct strata_entry *strata_module_entry_find(const struct strata_module *m,
                                                    const char *name); /* NULL if none */
/* Can every instruction of an entry be executed? If not, STRATA_EUNSUPPORTED names the first that
 * cannot, and a run of the entry fails with the same sentence. A module of PTX never has such an
 * entry: its creation fails. */
strata_status strata_module_entry_check(struct strata_module *m, const struct strata_entry *entry,
                                        struct strata_error *err);
/* What kind of code it holds: STRATA_ISA_PTX or STRATA_ISA_SASS. */
enum strata_isa strata_module_isa(const struct strata_module *m);
/* The architecture it was made for: 75 for sm_75 (PTX: .target of the first text); 0 if unknown. */
uint32_t strata_module_sm(const struct strata_module *m);

/* A __device__ or __constant__ variable: host memory with its initialiser applied. */
struct strata_symbol {
    const char *name;
    void *address;
    uint64_t bytes;
    bool is_const;
    bool is_managed; /* __managed__ */
};
size_t strata_module_symbol_count(const struct strata_module *m);
const struct strata_symbol *strata_module_symbol_get(const struct strata_module *m, size_t i);
const struct strata_symbol *strata_module_symbol_find(const struct strata_module *m,
                                                      const char *name);

/* ---- textures ---- */

/* Values as in cudaTextureAddressMode. */
enum strata_texture_address_mode {
    STRATA_TEXTURE_WRAP = 0,
    STRATA_TEXTURE_CLAMP,
    STRATA_TEXTURE_MIRROR,
    STRATA_TEXTURE_BORDER
};
enum strata_texel_kind { STRATA_TEXEL_SIGNED = 0, STRATA_TEXEL_UNSIGNED, STRATA_TEXEL_FLOAT };

/* A texture object. Its handle, as kernels hold it, is its place in strata_kernel_launch.textures
 * plus one. */
struct strata_texture {
    const void *data;
    uint64_t width, height; /* texels; height 0: one-dimensional */
    uint64_t depth;         /* slices of a three-dimensional texture, or layers; 0: neither */
    bool layered;           /* the third coordinate picks a layer: no addressing, no filtering */
    uint64_t pitch_bytes;   /* distance of two rows; 0: width * texel size */
    uint64_t slice_bytes;   /* distance of two slices or layers; 0: rows * pitch */
    bool tiled; /* the card has its texels in tiles, STRATA_TILE_BYTES by STRATA_TILE_ROWS: what is
                   recorded. Here they lie in rows; pitch and slice are multiples of a tile's */
    uint8_t channel_bits[4]; /* x, y, z, w: 8, 16 or 32, 0 = absent */
    uint8_t texel_kind;      /* enum strata_texel_kind */
    uint8_t address_mode[3];
    bool linear_memory; /* cudaResourceTypeLinear: integer fetches only, outside reads give 0 */
    bool linear_filter;
    bool normalized_coordinates;
    bool read_normalized; /* cudaReadModeNormalizedFloat */
    float border[4];
};

/* What a trace tells of it. */
struct strata_launch_texture strata_texture_describe(const struct strata_texture *t);

/* ---- launches ---- */

struct strata_kernel_launch {
    const struct strata_entry *entry;
    struct strata_dim3 grid, block;
    uint32_t shared_dynamic_bytes;
    const void *params; /* entry->param_bytes bytes, laid out by entry->params */
    bool cooperative;   /* all blocks become resident: grid-wide synchronisation makes progress */
    const struct strata_texture *const *textures; /* NULL entries are free slots */
    size_t n_textures;
    struct strata_dim3 cluster; /* blocks of a cluster; 0: what the entry requires, or none */
};

/* Receives the record of one launch, from one thread at a time. */
struct strata_record_sink {
    void *user;
    /* Once, before the first block. `code` is complete and valid until strata_module_run returns;
     * after that the module keeps it alive too. */
    strata_status (*begin)(void *user, const struct strata_code *code, struct strata_error *err);
    /* Blocks in order of their index. The sink owns the block. */
    strata_status (*block)(void *user, struct strata_block *block, struct strata_error *err);
};

struct strata_run_options {
    uint32_t threads;                      /* 0: one per core */
    const struct strata_record_sink *sink; /* NULL: run without recording */
    uint64_t sample_blocks;                /* record this many blocks, evenly spread; 0: all */
    void (*print)(void *user, const char *text,
                  size_t length); /* printf of kernels; NULL: dropped */
    void *print_user;
    uint64_t instruction_limit; /* warp instructions of the launch; 0: none */
    uint32_t stack_bytes;       /* local memory per thread of recursive kernels; 0: 16 KiB */
    uint64_t state_limit_bytes; /* memory for resident blocks; 0: 4 GiB */
    uint32_t sm_count;          /* what %nsmid says; 0: 132 */
    uint32_t blocks_per_sm;     /* that an SM holds of this launch; 0: one */
    /* Latencies, clock and schedulers that clocks go by; other keys are not asked for. NULL: clocks
     * count the block's instructions. */
    const struct strata_gpu *gpu;
    /* Warps take turns after this many instructions, and a block on every SM runs at once: nearer
     * to how hardware mixes them, and much slower. 0: a warp runs until it waits, blocks by
     * themselves where they can. */
    uint32_t interleave;
    /* A kernel has launched a kernel: called in the order of its blocks, to be run after it. The
     * launch and its parameters are gone afterwards. NULL: a kernel that does so fails. */
    void (*child)(void *user, const struct strata_kernel_launch *launch);
    void *child_user;
};
void strata_run_options_init(struct strata_run_options *opt);

struct strata_run_stats {
    uint64_t blocks;
    uint64_t warp_instructions;
    uint64_t thread_instructions; /* active lanes, predicated-off ones not counted */
    uint64_t recorded_blocks;
    uint64_t memory_instructions; /* warp instructions that touch memory */
    uint64_t stray_loads;         /* lanes that loaded outside an allocation, but near one */
    bool ran_in_parallel;         /* the blocks were independent and could use all threads */
    uint64_t stray_stores;        /* lanes that stored outside an allocation, in a page of one */
};

/* Runs one launch to its end. The result is that of running block after block; blocks run in
 * parallel where it is certain that none reads what another writes (stores and reductions are then
 * applied in block order), else interleaved on one thread, so that spin locks and grid barriers
 * make progress. Blocks that ask by additions of nothing (atomicAdd(flag, 0)), or in loops that
 * wait for a flag or a lock, run in the order of their clocks if opt->gpu is given: how often they
 * ask hangs on it. Failure: a trap, a failed assertion, an illegal address, a barrier nobody can
 * leave, the instruction limit; the message names kernel, line and thread. Memory then holds what
 * was stored before. `stats` may be NULL. */
strata_status strata_module_run(struct strata_module *m, const struct strata_kernel_launch *launch,
                                const struct strata_run_options *opt,
                                struct strata_run_stats *stats, struct strata_error *err);

#endif
