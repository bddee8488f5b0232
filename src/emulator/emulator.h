/* emulator.h - running warps and blocks, as far as it does not matter what code they run.
 *
 * A block of a launch, its shared memory, its barriers, what it keeps back while it runs ahead of
 * its turn and what it records are here; the registers of its warps and the meaning of their
 * instructions are an executor's: a table of functions (struct emu_executor), one for PTX and one
 * for machine code. An executor's warp and block begin with the structs of this file. */
#ifndef STRATA_EMULATOR_EMULATOR_H
#define STRATA_EMULATOR_EMULATOR_H

#include <strata/emulator.h>

#include "base/bits.h"
#include "emulator/path.h"

#define EMU_LANES    32
#define EMU_FULL     0xffffffffu
#define EMU_NO_INDEX UINT32_MAX

struct emu_warp;
struct emu_block;
struct emu_run;

/* ---- code ---- */

enum emu_space {
    EMU_GENERIC = 0, /* the address says where */
    EMU_GLOBAL,
    EMU_SHARED,
    EMU_LOCAL,
    EMU_CONST,
    EMU_PARAM
};

/* What memory accesses, the record and messages need to know of a static instruction. */
/* Lanes that the record of an access tells of: machine code may have one lane do what all want. */
enum emu_acting {
    EMU_ACTING_ALL = 0,
    EMU_ACTING_ONE,        /* the last of those that run it */
    EMU_ACTING_ONE_OF_ALL, /* the same if the warp is whole, else all that run it */
    EMU_ACTING_TURNS       /* one lane of each address a round, of a loop that loads, compares and
                              swaps: the first of the statics before its own is the load,
                              the last of those behind it is for the lanes that leave */
};

struct emu_site {
    uint32_t record; /* its place in the recorded code, EMU_NO_INDEX: internal, not counted */
    uint32_t slot;   /* of a memory instruction: its own cache of the allocation last used */
    uint32_t line;   /* for messages: of the PTX, or the byte offset in machine code */
    uint8_t space;   /* enum emu_space */
    bool writes;     /* memory: a store or a reduction, else a load */
    bool no_address; /* parameters, constants by name: no memory access on hardware, so no addresses
                        in the record */
    bool waits;      /* memory: a loop asks by it until another block has answered, see waiting.h */
    bool spins;      /* the same in shared memory: until another warp of the block has stored */
    bool folded;     /* counted, but not recorded: machine code has no instruction for it */
    uint8_t mixes;   /* textures: axes, as bits, along which a read may mix texels; behind its own
                        static are those of each combination */
    uint8_t before;  /* recorded ahead of it: the statics before its own */
    uint8_t after;   /* recorded behind it: the statics after its own, of EMU_ACTING_TURNS */
    uint8_t acting;  /* enum emu_acting */
};

/* Shared memory below this belongs to the system on Hopper and later: ptxas puts a kernel's
 * variables behind it and gives it as %reserved_smem_offset_cap. */
#define EMU_SHARED_RESERVED_BYTES 1024u
/* What it uses of that on an H200: %reserved_smem_offset_end. */
#define EMU_SHARED_USED_BYTES 288u
/* Shared memory is given out in such pieces: what %total_smem_size counts (an H200: 128 of 64
 * bytes, 2176 of 2064). */
#define EMU_SHARED_PIECE_BYTES 128u

/* An entry function made ready to run; an executor's own begins with this. */
struct emu_image {
    const char *name; /* of the entry */
    const char *file;
    uint32_t shared_bytes; /* static */
    uint32_t stack_bytes;  /* local memory per thread, calls included; if not recursive */
    bool recursive;
    bool reads_clock;
    bool swaps_shared; /* compares and swaps in shared memory: who wins hangs on when warps come */
    bool blocks_wait;  /* for one another: additions of nothing ask what is there, or loops do */
    bool loops_wait;   /* the latter, see waiting.h */
    bool warps_wait;   /* loops wait for a word of shared memory */
    uint32_t calls; /* where the driver's functions begin in statics, see device_calls.h; 0: none */
    bool talks_between_blocks;   /* atomics with a result, device malloc: blocks cannot be reordered
                                  */
    uint32_t n_slots;            /* memory instructions */
    struct strata_inst *statics; /* what is recorded of each static instruction */
    size_t n_statics, cap_statics;
    struct strata_code *record;     /* the same as a table of the trace, built on first use */
    struct strata_builder *builder; /* left by a launch for the next; a short one has no time to
                                       allocate */
};
/* Gives both back. */
void emu_image_release_record(struct emu_image *image);

/* ---- warps ---- */

/* The accesses of the memory instruction at hand. */
struct emu_access {
    uint64_t address[EMU_LANES]; /* global, or an offset in shared or local memory */
    uint64_t host[EMU_LANES];    /* where the lane's data lie; global accesses use address */
    uint64_t base;               /* address of the first active lane */
    int64_t stride;
    bool affine;                      /* lane l accesses base + (l - first) * stride */
    bool row;                         /* affine in host memory too */
    uint32_t shared_mask, local_mask; /* lanes of a generic access that are not global */
    uint8_t mixed_axes;               /* textures: along which a lane got a mix of texels */
    uint32_t mixed_mask;              /* lanes whose allocation has an overlay, see overlay.h */
};

struct emu_log { /* the record of one warp, see record.c */
    uint32_t *words;
    size_t n, cap;
    uint32_t mask;
    uint32_t n_instructions;
};

/* Tests of an mbarrier that have failed in a row, or polls of shared memory without news. */
struct emu_vain_tests {
    uint32_t n, address;
    uint8_t lane;
    const struct emu_site *site;
    uint64_t issued; /* by the warp's clock at the last of them */
};

/* What the lanes of `mask` read at pc last time: loops that poll several places read each of them
 * again before anything is known to have changed. */
struct emu_poll {
    uint32_t pc, mask;
    uint64_t hash;
    uint32_t same;  /* times in a row */
    uint32_t epoch; /* of the warp when it was noted */
};
#define EMU_POLLS 16 /* a power of two */

struct emu_warp {
    struct emu_block *block;
    uint32_t index; /* in the block */
    uint32_t live;  /* lanes that have not exited */
    uint8_t *local; /* 32 * local_stride bytes */
    uint32_t local_stride;
    uint32_t cluster_token;               /* phase of the cluster's barrier it has arrived in */
    uint32_t group_arrived, group_passed; /* meetings of its warpgroup, see block_cluster.c */
    uint32_t n_paths;
    uint32_t pc;                          /* of the instruction being executed */
    struct emu_path paths[EMU_MAX_PATHS]; /* the last one runs */
    bool must_wait;        /* set by a handler that cannot go on yet: it runs again later */
    uint32_t wait_address; /* what it waits at: enum emu_waiting or a shared address */
    struct emu_vain_tests vain;
    struct emu_poll polls[EMU_POLLS];
    bool met;            /* the others have come up to its compare and swap */
    uint32_t turns;      /* lanes of the instruction at pc that have still to win their race */
    bool takes, left;    /* it is about to take work that other blocks want too; they had a turn */
    uint64_t taken;      /* places it took work at, a bit each: pc % 64 */
    uint64_t taken_from; /* where it took work last */
    uint32_t poll_epoch; /* grows when a poll has an answer it did not have before */
    bool waits, polls_global; /* it keeps getting the same answers; from global memory */
    bool asks, in_vain;       /* in a loop that waits, by time; it has had the same answer often */
    uint8_t idle_turns;       /* that are no progress, by time: it has just got the same answer */
    uint8_t speaker; /* lane + 1 that work of other "lanes" is done for; 0: each for itself */
    struct emu_access access;
    struct emu_log log;
    struct emu_clock *clock; /* NULL: the launch has no timing */
    uint32_t calls;          /* of printf */
};

static inline struct emu_path *emu_path_now(struct emu_warp *w)
{
    return &w->paths[w->n_paths - 1];
}

/* The lanes of `mask` got the answers of `hash` at w->pc from a place others may change. Sets
 * w->waits if that shows a loop that waits. See poll.c. */
void emu_notice_poll(struct emu_warp *w, const struct emu_site *site, uint32_t mask, uint64_t hash);
/* The same of an atomic: EMU_ATOM_*. */
void emu_notice_atomic(struct emu_warp *w, const struct emu_site *site, uint32_t mask,
                       uint64_t hash, uint32_t op);
void emu_polls_forget(struct emu_warp *w);
/* ---- blocks ---- */

#define EMU_BARRIERS 16
struct emu_barrier {
    uint32_t arrived;  /* threads */
    uint32_t expected; /* threads, 0: all that live */
    uint32_t popc;
    bool all, any;
};

struct emu_text {
    char *bytes;
    size_t n, cap;
};

/* The allocation a memory instruction used last. */
struct emu_mixed;
struct emu_slot {
    uint64_t base, bytes;
    const struct emu_mixed *mixed; /* the overlay counts, NULL if not */
};

/* Global allocations a block has loaded from or stored to, those with an overlay left out. */
#define EMU_MAX_TOUCHED 64
struct emu_touched {
    uint32_t n;
    bool overflow; /* too many to tell */
    uint64_t base[EMU_MAX_TOUCHED];
};

/* Stores and reductions of a block, to be applied in block order. */
struct emu_deferred {
    uint8_t *bytes;
    size_t n, cap;
    bool overflow; /* too many to keep: the block has to wait for its turn */
};

/* Blocks that run at once and see each other's shared memory; every block is in one, most alone. */
#define EMU_MAX_CLUSTER 16
struct emu_cluster {
    uint32_t n, left;                         /* blocks; those not yet retired */
    struct emu_block *block[EMU_MAX_CLUSTER]; /* by rank; NULL: retired */
    uint32_t arrived, phase;                  /* of its barrier, in threads */
};

/* When a place of shared memory was swapped last. */
#define EMU_RACES 64
struct emu_race {
    uint64_t address, swapped;
};

struct emu_block {
    struct emu_run *run;
    struct emu_cluster *cluster; /* NULL: alone, and none of its code has asked */
    struct emu_cluster alone;
    uint32_t rank;   /* in the cluster */
    uint32_t events; /* grows when something happens that a warp of the block may wait for */
    uint64_t index;
    uint32_t id[3];
    uint32_t n_warps, live_warps;
    uint8_t *warps; /* n_warps structs of the executor, see emu_block_warp */
    uint8_t *shared;
    uint32_t shared_bytes;
    struct emu_barrier barriers[EMU_BARRIERS];
    uint32_t open_barriers; /* bits of the barriers somebody waits at */
    struct emu_text text;
    struct emu_deferred deferred;
    uint64_t instructions; /* of its warps so far */
    uint64_t head_start;   /* instructions of the others when it started, see launch.c */
    uint64_t time, until;  /* of its clocks, and its turn's, where blocks run by time: launch.c */
    uint64_t thread_instructions, memory_instructions;
    uint64_t stray_loads;  /* lanes that loaded near an allocation, not in it */
    uint64_t stray_stores; /* lanes that stored in a page of an allocation, not in it */
    bool recording;
    bool watched; /* what it executes is recorded, or its warps have clocks */
    bool swapped; /* a compare and swap has found what it asked for since the last turn ended */
    bool failed;
    bool done;
    struct strata_block *record;
    struct emu_slot *slots;  /* by emu_site.slot */
    uint32_t slots_overlays; /* overlays there were when the slots were cleared */
    bool ahead;              /* runs ahead of its turn: stores are kept back, see parallel.c */
    uint64_t start;          /* blocks that had finished when it started */
    struct emu_touched loaded, stored, sampled; /* sampled: by texture instructions */
    struct emu_overlay *overlay;
    struct strata_error error;
    struct strata_kernel_launch *children; /* it has launched; parameters are its own */
    size_t n_children, cap_children;
    uint64_t unit_free; /* when the load/store unit has done what came so far */
    struct emu_race races[EMU_RACES];
    uint32_t next_warp; /* round robin */
    bool backward;      /* from the last warp to the first */
    struct emu_block *next;
};

/* ---- executors ---- */

enum emu_turn {
    EMU_TURN_OVER,    /* used up its instructions */
    EMU_TURN_MEETS,   /* is about to compare and swap: others may come first */
    EMU_TURN_TAKES,   /* is about to take work from a queue again: other blocks take theirs first */
    EMU_TURN_BLOCKED, /* no path can run */
    EMU_TURN_SPUN,    /* waits for somebody in a loop */
    EMU_TURN_POLLED,  /* the same, on global memory: the one it waits for may be in another block */
    EMU_TURN_DONE,    /* all lanes have exited */
    EMU_TURN_FAILED
};
/* Is it the clocks of warps that tell whose turn it is? */
bool emu_runs_by_clocks(const struct emu_run *run);
/* Warps of a block that change a place by loops around a compare and swap get into each other's way
 * on a card: some have read the place before another one swaps. So a warp stops in front of its
 * swap, and of the load before it, until those who come there earlier have had their turn. `index`:
 * of the static instruction it stops at. */
bool emu_meets_others(struct emu_warp *w, uint32_t index);
/* Lanes of `mask` are about to add to host[] at w->pc and will be told what was there. Blocks that
 * do so again and again take their work from a queue; on a card all that are resident empty it
 * together, and each has its first task before one has a second (device/probe/queue_probe.cu). So
 * before a warp does it again, at the same place of its code or in memory, it gives way, and
 * launch.c lets the blocks go on side by side. True: not now, the instruction comes again. */
bool emu_leaves_work(struct emu_warp *w, uint32_t mask, const uint64_t *host);
/* What the turn of a warp was that polls in vain; it no longer counts as waiting. */
enum emu_turn emu_give_way(struct emu_warp *w);

struct emu_executor {
    enum strata_isa isa;
    size_t block_bytes, warp_bytes; /* of the executor's structs */
    void (*module_destroy)(struct strata_module *m);
    /* The entry made ready to run; NULL: it cannot be, and the error says why. */
    struct emu_image *(*image)(struct strata_module *m, size_t entry, struct strata_error *err);
    /* Once for a launch: what all blocks share, in run->state. False: memory is short. */
    bool (*run_begin)(struct emu_run *run);
    void (*run_end)(struct emu_run *run);
    /* Bytes a warp takes beyond warp_bytes and its local memory. */
    uint64_t (*warp_state_bytes)(const struct emu_run *run);
    /* Structs come zeroed with their emu_ part set. False: memory is short; what was made is
     * destroyed by _destroy. */
    bool (*block_create)(struct emu_block *block);
    void (*block_destroy)(struct emu_block *block);
    bool (*warp_create)(struct emu_warp *w);
    void (*warp_destroy)(struct emu_warp *w);
    /* Put the block, then each warp, at the start of the kernel. */
    void (*block_start)(struct emu_block *block);
    void (*warp_start)(struct emu_warp *w, uint32_t live);
    /* Runs up to `budget` instructions. */
    enum emu_turn (*warp_run)(struct emu_warp *w, uint64_t budget);
    /* Nobody in the block can run: lets lanes go that wait inside their warp for others that
     * cannot come. False if there are none. */
    bool (*warp_release)(struct emu_warp *w);
    /* Gives lanes that wait at a barrier what a reduction there has made, *b. */
    void (*barrier_result)(struct emu_warp *w, const struct emu_path *path,
                           const struct emu_barrier *b);
    /* Of the instruction at pc. */
    const struct emu_site *(*site)(const struct emu_warp *w, uint32_t pc);
};

static inline struct emu_warp *emu_block_warp(const struct emu_block *block, uint32_t i);

/* ---- modules ---- */

/* Memory a grid-wide barrier of cooperative groups keeps its state in. */
#define EMU_WORKSPACE_BYTES 256

/* An executor's module begins with this. */
struct strata_module {
    const struct emu_executor *executor;
    uint32_t sm;
    struct strata_device_memory memory;
    struct strata_entry *entries;
    size_t n_entries;
    struct strata_symbol *symbols;
    size_t n_symbols, cap_symbols;
    void *workspace;
};

/* Copies `memory` (NULL: the C library) and takes the workspace. False: memory is short; release
 * it all the same. */
bool emu_module_init(struct strata_module *m, const struct emu_executor *executor,
                     const struct strata_device_memory *memory);
void emu_module_release(struct strata_module *m);

/* The allocation or module variable that holds an address. Without a memory that knows, true for
 * all addresses. */
bool emu_find_range(struct strata_module *m, uint64_t address, struct strata_memory_range *out);

/* ---- one launch ---- */

struct emu_run {
    struct strata_module *module;
    const struct emu_executor *executor;
    struct emu_image *image;
    const struct strata_kernel_launch *launch;
    const struct strata_run_options *opt;
    uint8_t *params; /* copy of the parameter block, padded */
    uint32_t threads_per_block, n_warps;
    uint64_t n_blocks;
    struct strata_dim3 cluster; /* at least 1 each */
    bool desperate; /* no block of any cluster gets on: lanes that wait for others are let go */
    bool by_time;   /* blocks run in the order of their clocks, see launch.c */
    uint32_t shared_bytes, local_stride;
    void *state;             /* the executor's */
    struct emu_ahead *ahead; /* while blocks run ahead of their turn, see parallel.c */
    bool checks_memory;
    uint8_t *grid_workspace;   /* the state of a grid barrier */
    struct emu_timing *timing; /* of a kernel that reads a clock, see warp_clock.h */
    const struct strata_code *code;
};

static inline struct emu_warp *emu_block_warp(const struct emu_block *block, uint32_t i)
{
    return (struct emu_warp *)(void *)(block->warps + (size_t)i * block->run->executor->warp_bytes);
}

/* What %nsmid says. */
static inline uint32_t emu_sm_count(const struct emu_run *run)
{
    return run->opt->sm_count ? run->opt->sm_count : 132;
}

/* ---- lanes ---- */

extern const uint32_t emu_lane_bit[EMU_LANES];

/* Most instructions are executed by all lanes; counting bits is slow on some hosts. */
static inline unsigned emu_lane_count(uint32_t mask)
{
    return mask == EMU_FULL ? EMU_LANES : popcount32(mask);
}

/* Lane loops: iterations are independent even where a destination is also a source. */
#ifdef __clang__
#pragma clang diagnostic ignored                                                                   \
    "-Wpass-failed" /* a loop it cannot vectorise is right all the same */
#define EMU_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define EMU_IVDEP _Pragma("GCC ivdep")
#endif
#define EMU_EACH_LANE EMU_IVDEP for (unsigned i = 0; i < EMU_LANES; i++)

/* d[i] = value for the lanes of mask. Inactive lanes compute too: values must be harmless. */
#define EMU_STORE_LANES(d, mask, value)                                                            \
    do {                                                                                           \
        if ((mask) == EMU_FULL) {                                                                  \
            EMU_EACH_LANE(d)[i] = (value);                                                         \
        } else {                                                                                   \
            EMU_EACH_LANE(d)[i] = (mask)&emu_lane_bit[i] ? (value) : (d)[i];                       \
        }                                                                                          \
    } while (0)

/* The failure of a running kernel: names kernel, line and thread. `lane` is the thread's. */
void emu_fail(struct emu_warp *w, const struct emu_site *site, unsigned lane, strata_status status,
              const char *format, ...) __attribute__((format(printf, 5, 6)));
/* The same for want of memory; `purpose` as for strata_no_memory: "for its stores". */
void emu_no_memory(struct emu_warp *w, const struct emu_site *site, unsigned lane,
                   const char *purpose);

/* ---- clocks, see warp_clock.c ---- */

/* What an instruction at `site` reads from %clock64 and %globaltimer: without a GPU's latencies the
 * instructions of the block. */
uint64_t emu_clock_cycles(const struct emu_warp *w, const struct emu_site *site);
uint64_t emu_clock_nanoseconds(const struct emu_warp *w, const struct emu_site *site);
/* Where blocks run by time since loops wait, or warps by their clocks since they wait in shared
 * memory: is the access at `site` behind what others have still to do? Then it is made in a later
 * turn. Additions of nothing are asked and answered as their
 * blocks' turns come: two scans in one pass take 214,900 and 3,143,000 cycles so, 213,900 and
 * 2,555,000 in this order, 210,800 and 3,364,700 on an H200. */
bool emu_clock_comes_later(struct emu_warp *w, const struct emu_site *site);

/* ---- barriers of a block, see block.c ---- */

/* Lanes of `mask` arrive at barrier `id`. expected: threads, 0: all that live. */
struct emu_arrival {
    uint32_t id, expected;
    uint32_t mask;
    bool reduces;
    uint32_t yes; /* lanes whose predicate is true, if it reduces */
};
/* False: there is no such barrier, which is reported. The executor has noted that its lanes wait
 * before it calls this, as the barrier may open at once. */
bool emu_barrier_arrive(struct emu_warp *w, const struct emu_site *site,
                        const struct emu_arrival *arrival);
/* After lanes have exited: barriers may now be complete. */
void emu_barriers_recheck(struct emu_block *block);

/* ---- clusters and warpgroups, see block_cluster.c ---- */

/* Shared addresses of other blocks of the cluster carry their rank: (rank + 1) << EMU_RANK_SHIFT.
 */
#define EMU_RANK_SHIFT 24
#define EMU_RANK_BYTES (1u << EMU_RANK_SHIFT)
static inline uint32_t emu_cluster_blocks(const struct emu_run *run)
{
    return run->cluster.x * run->cluster.y * run->cluster.z;
}
/* Rank of a block in its cluster, and the number of the cluster. */
uint32_t emu_cluster_rank(const struct emu_run *run, uint64_t block, uint64_t *cluster);
/* Blocks that must be started together so that none is without its cluster. */
uint64_t emu_cluster_span(const struct emu_run *run);
/* Puts a block alone into a cluster of its own. */
void emu_cluster_alone(struct emu_block *block);
/* Puts it into the cluster of `mate`, NULL: a new one. False: memory is short. */
bool emu_cluster_join(struct emu_block *block, struct emu_block *mate);
void emu_cluster_leave(struct emu_block *block);
/* The block a shared address is of, and *offset in its shared memory; NULL: there is none. */
struct emu_block *emu_cluster_target(struct emu_block *block, uint64_t address, uint64_t *offset);
/* Lanes of the warp arrive at the cluster's barrier; have all come since? */
void emu_cluster_arrive(struct emu_warp *w, uint32_t mask);
bool emu_cluster_passed(struct emu_warp *w);
/* Have all warps of the warpgroup (four in a row) come to this meeting? Asked again until true. */
bool emu_group_meets(struct emu_warp *w);

/* ---- memory, see memory.c ---- */

/* w->access.address holds the addresses of the lanes of mask, each `bytes` wide. Fills the rest of
 * w->access and checks the addresses. Returns the host addresses by lane; NULL after a failure. */
const uint64_t *emu_resolve(struct emu_warp *w, const struct emu_site *site, uint32_t mask,
                            unsigned bytes);
/* A text or buffer behind a generic address of one lane; NULL if it is not valid memory. *left is
 * how many bytes follow it. */
uint8_t *emu_generic_pointer(struct emu_warp *w, unsigned lane, uint64_t address, uint64_t *left);

/* Before a store of a block that runs ahead: lanes that go to an overlay get their host addresses;
 * gives the lanes whose stores are to be deferred. False in *ok: out of memory, which is reported.
 */
uint32_t emu_prepare_store(struct emu_warp *w, const struct emu_site *site, uint32_t mask,
                           unsigned bytes, bool update, bool *ok);
/* A block that runs ahead of its turn has read the allocation at `address` through a texture. */
void emu_touch_sampled(struct emu_warp *w, const struct emu_site *site, uint64_t address);

/* Appends stores of independent blocks for later; op is EMU_STORE or an atomic's. */
bool emu_defer(struct emu_block *block, unsigned op, unsigned type, unsigned bytes, uint32_t mask,
               const uint64_t *address, const void *data, unsigned data_stride);
/* The same for a store of all lanes side by side. */
bool emu_defer_row(struct emu_block *block, unsigned bytes, uint64_t address, const void *data);
void emu_deferred_apply(struct emu_deferred *deferred);
/* An atomic of a block that runs ahead of its turn: lanes whose operation has to wait are kept back
 * with their operands (EMU_LANES of them) and taken out of the mask; *host is where the others
 * work. False: the launch has failed. */
bool emu_atomic_ahead(struct emu_warp *w, const struct emu_site *site, unsigned op, unsigned type,
                      unsigned bytes, const uint64_t *operand, uint32_t *mask,
                      const uint64_t **host);

/* ---- atomic operations, see atomic.c ---- */

enum emu_atomic {
    EMU_STORE = 0, /* of a deferred access: no atomic at all */
    EMU_ATOM_ADD,
    EMU_ATOM_MIN,
    EMU_ATOM_MAX,
    EMU_ATOM_INC,
    EMU_ATOM_DEC,
    EMU_ATOM_AND,
    EMU_ATOM_OR,
    EMU_ATOM_XOR,
    EMU_ATOM_EXCH,
    EMU_ATOM_CAS
};
/* What a queue's place is moved by. */
static inline bool emu_counts_up_or_down(unsigned op)
{
    return op == EMU_ATOM_ADD || op == EMU_ATOM_INC || op == EMU_ATOM_DEC;
}
enum emu_type {
    EMU_U32,
    EMU_S32,
    EMU_U64,
    EMU_S64,
    EMU_U16, /* compare and swap of 16 bits */
    EMU_F16,
    EMU_BF16,
    EMU_F16X2,
    EMU_BF16X2,
    EMU_F32,
    EMU_F64
};
/* One atomic operation on memory; returns the old bits. */
uint64_t emu_atomic_apply(unsigned op, unsigned type, uint8_t *memory, uint64_t value,
                          uint64_t other);

/* ---- recording, see record.c ---- */
void emu_record(struct emu_warp *w, const struct emu_site *site, uint32_t mask);
void emu_record_access(struct emu_warp *w, const struct emu_site *site, uint32_t mask);
/* A round of the lanes of `mask`, which are left, of EMU_ACTING_TURNS. Returns those who are done:
 * they go to where the loop's lanes meet again. */
uint32_t emu_record_turn(struct emu_warp *w, const struct emu_site *site, uint32_t mask);
/* A static instruction that is not the site's own; with the addresses of w->access, or none. */
void emu_record_static(struct emu_warp *w, const struct emu_site *site, uint32_t index,
                       uint32_t mask, bool accesses);
/* An instruction whose record is up to 32 words, see strata/trace.h on bulk copies. Uses the room
 * of w->access. */
void emu_record_words(struct emu_warp *w, const struct emu_site *site, const uint64_t *words,
                      unsigned n);

/* ---- kernels that kernels launch, see child.c ---- */

/* A buffer for the parameters of a launch, in device memory; 0: no room. */
uint64_t emu_child_prepare(struct emu_warp *w, const struct strata_entry *entry,
                           struct strata_dim3 grid, struct strata_dim3 block,
                           uint32_t shared_bytes);
/* Launches what such a buffer was made for, and frees it. False after a failure. */
bool emu_child_launch(struct emu_warp *w, const struct emu_site *site, unsigned lane,
                      uint64_t buffer);
/* To whoever runs the launch; or nowhere. */
void emu_children_hand_out(struct emu_block *block);
void emu_children_drop(struct emu_block *block);

/* ---- functions kernels call that are no code of theirs, see builtin.c ---- */

/* A NUL-terminated text in kernel memory, as a copy; "" if the pointer is wild. */
void emu_copy_text(struct emu_warp *w, unsigned lane, uint64_t address, char *out, size_t size);
/* What a call of vprintf came to; its arguments are what CUDA returns. */
struct emu_printed {
    uint64_t format; /* address */
    uint32_t characters, arguments, strings, string_characters;
};
/* vprintf. False: memory is short. */
bool emu_print(struct emu_warp *w, unsigned lane, uint64_t format_address, uint64_t args_address,
               struct emu_printed *printed);
uint64_t emu_device_malloc(struct emu_warp *w, uint64_t bytes);
void emu_device_free(struct emu_warp *w, uint64_t address);
void emu_assert_failed(struct emu_warp *w, const struct emu_site *site, unsigned lane,
                       uint64_t message, uint64_t file, uint32_t line, uint64_t function);

#endif
