/* flow_engine.h - the flow model's loop: warps issue in the order of their times.
 *
 * Nothing ticks. A wheel of time slots holds warps that become ready and
 * schedulers that have something to issue; each instruction asks the memory side
 * for a time and the warp goes back into the wheel. Memory is bounded by the
 * resident blocks: a block's byte code is freed when its last warp exits. */
#ifndef STRATA_FLOW_ENGINE_H
#define STRATA_FLOW_ENGINE_H

#include <stddef.h>
#include <strata/place.h>
#include <strata/result.h>

#include "flow/flow_swaps.h"
#include "flow/flow_waves.h"
#include "memory/bulk_lines.h"
#include "memory/hierarchy.h"
#include "sm/async_groups.h"
#include "sm/async_totals.h"
#include "sm/constants_used.h"
#include "sm/fetch.h"
#include "sm/phase_barriers.h"
#include "sm/scoreboard.h"
#include "sm/sm_inst.h"
#include "sm/warm_code.h"
#include "sm/wgmma_rules.h"
#include "sm/window.h"
#include "sm/warp_rules.h"
#include "trace/cursor.h"
#include "trace/reader_ahead.h"

struct flow_block {
    struct strata_block *data;
    uint32_t sm;
    uint32_t live_warps;   /* warps that have not exited */
    uint32_t waiting;      /* of those, at the barrier */
    uint64_t barrier_time; /* the latest arrival */
    uint32_t first_warp;   /* index of its first slot, contiguous; see flow_warp_index() */
    uint32_t nth;          /* place on its SM */
    uint64_t index;
    uint64_t stored;   /* when the load/store unit is done with the last of its stores; 0: none */
    uint32_t barriers; /* head of its barriers in shared memory */
    bool used;         /* the place has held a block: its warps are set up */
};

/* What a warp that is not in the wheel sleeps for, see flow_async.c. */
enum flow_sleep {
    FLOW_AWAKE = 0,
    FLOW_FOR_MBARRIER,
    FLOW_FOR_CLUSTER,
    FLOW_FOR_BULK,
    FLOW_FOR_PRODUCTS,
    FLOW_FOR_LOADS /* at a fence, until the loads before it have been asked for */
};

/* A bulk copy on its way through the copy engine of an SM. */
struct flow_copy {
    struct bulk_lines lines;
    uint64_t block;       /* that issued it */
    uint64_t done, left;  /* the last data so far; the last bytes that left the SM */
    uint32_t warp, group; /* whose bulk group it belongs to */
    uint64_t ready;       /* it may begin */
};
struct flow_tma {
    struct flow_copy *queue; /* ring */
    uint32_t first, n, cap;
    bool queued;
    uint32_t issued,
        asked;       /* copies so far; of those, the ones whose lines have all been asked for */
    uint64_t done;   /* the last data of them */
    uint32_t fences; /* warps that sleep at one */
};

/* Products of warpgroups at the tensor core of a scheduler, in the order of their issue. */
/* sm.wgmma_queue at most, and one of each slot that saw room. */
enum { FLOW_LONGEST_QUEUE = 32, FLOW_PRODUCTS = FLOW_LONGEST_QUEUE + 64 };
struct flow_tensor {
    uint64_t free; /* it begins the next */
    uint32_t n;    /* that wait */
    uint32_t warp; /* whose product it began last */
    bool queued;
    struct wgmma_beside beside;
    struct flow_product {
        uint32_t warp, group, cycles;
    } waiting[FLOW_PRODUCTS];
};

/* A warp's asynchronous work that it can wait for. Most kernels have none: it stands apart from the
 * warps, whose memory is read at every issue. */
struct flow_groups {
    struct sm_async copies, bulk, bulk_read, wgmma;
};

/* The warps of a launch do not fit into the machine's caches: what every issue touches is in three
 * lines, two of them the first and one the cursor's. */
enum { FLOW_LINE_BYTES = 64 };
struct flow_warp {
    struct sm_wait wait; /* earliest issue of `next`, and what it waits for */
    uint64_t last_issue;
    uint32_t scheduler; /* global index */
    uint32_t block;     /* index into engine->block */
    uint32_t fetch_line;
    const struct sm_inst *op; /* `next`, decoded */
    uint32_t next_line;       /* line of code it is fetched from */
    uint8_t slot;             /* bit in its scheduler's ready mask */
    uint8_t number;           /* in its block */
    bool has_next;
    bool at_barrier;
    uint8_t sleeps;           /* enum flow_sleep */
    bool has_groups;          /* the warp has used its groups */
    bool numbers_groups;      /* a warp of this slot has: their numbers go on */
    struct strata_winst next; /* what it issues next; valid while has_next */
    struct sm_scoreboard scoreboard;
    uint64_t local_base;
    struct flow_groups *groups; /* see flow_groups() */
    uint32_t barrier; /* shared address of the one it sleeps at; copies before its fence */
    bool parity;      /* of the phase it waits for */
    bool cluster_phase;
    uint32_t queued_cycles; /* its last load or store stood in front of the unit */
    uint8_t since_data; /* instructions but stores since it waited for data, see sm_stores_on() */
    _Alignas(FLOW_LINE_BYTES) struct strata_cursor cursor;
};
/* So few that the machine's address translation reaches all warps, and an odd number, so that their
 * first lines are spread over all sets of its cache. */
_Static_assert(sizeof(struct flow_warp) <= 5 * FLOW_LINE_BYTES,
               "five lines of the machine's cache");

/* A warp's groups, empty when it asks for the first time. */
static inline struct flow_groups *flow_groups(struct flow_warp *w)
{
    if (!w->numbers_groups)
        w->groups->copies.first = w->groups->bulk.first = w->groups->bulk_read.first =
            w->groups->wgmma.first = 0;
    w->numbers_groups = true;
    if (!w->has_groups) {
        sm_async_reset(&w->groups->copies);
        sm_async_reset(&w->groups->bulk);
        sm_async_reset(&w->groups->bulk_read);
        sm_async_reset(&w->groups->wgmma);
        w->has_groups = true;
    }
    return w->groups;
}

/* What every event of a scheduler touches is in three lines: the first, that of the arithmetic
 * pipes, and the one of the load/store pipe and the slots. */
struct flow_scheduler {
    uint64_t ready_mask;  /* slots whose warps can issue, if their pipes are free */
    uint64_t far_mask;    /* of the slots whose warps are in the wheel, those beyond its reach */
    uint64_t free;        /* next cycle it may issue */
    uint64_t next_due;    /* no waiting warp is ready before */
    const uint64_t *unit; /* when the load/store unit of its SM takes the next instruction */
    uint64_t turn_mask;   /* the ready_mask for which `turn` was found; 0: it was not */
    uint32_t first_warp;  /* warp index = first_warp + slot * schedulers of the SM */
    uint32_t sm;
    uint16_t pipes; /* that ready warps want, a bit each */
    uint8_t last_slot;
    uint8_t issued; /* in issue_cycle */
    uint8_t stored; /* the slot whose warp stored last */
    uint8_t turn;   /* the slot whose turn it is if all their pipes are free */
    bool queued;
    _Alignas(FLOW_LINE_BYTES) struct flow_pipe {
        uint64_t ready; /* ready_mask, of those that want this pipe */
        uint64_t free;  /* the pipe, again */
    } pipe[SM_N_PIPES];
    struct flow_hint {
        uint8_t pipe;  /* that the next instruction of the slot's warp wants */
        uint8_t lines; /* of its registers that the one after that reads: sm_inst.lines */
    } hint[64];
    uint64_t stores;       /* slots whose warps' next instruction is a store */
    struct sm_turns turns; /* whose it is */
    uint64_t shared_port;  /* when it may hand over its next access to shared memory */
    uint64_t issue_cycle;  /* of its last instruction */
    /* When the warps in the wheel will be ready, by slot; FLOW_NEVER: the others. */
    _Alignas(FLOW_LINE_BYTES) uint32_t slot_due[64];
    _Alignas(FLOW_LINE_BYTES) uint8_t odd; /* nothing: makes the lines an odd number, as above */
};
enum { FLOW_DUE_TOGETHER = 8 }; /* slots that are looked at in one go */
#define FLOW_NEVER UINT32_MAX
_Static_assert(SM_N_PIPES <= 16, "a bit of flow_scheduler.pipes for each");
_Static_assert(offsetof(struct flow_scheduler, pipe) == FLOW_LINE_BYTES, "the first line is full");

/* What else is in the wheel beside warps; the copy engine of an SM stands with its first scheduler.
 */
enum flow_unit { FLOW_SCHEDULER = 0, FLOW_TENSOR, FLOW_COPIES, FLOW_UNITS };

struct flow_engine {
    const struct strata_gpu *gpu;
    const struct strata_launch *launch;
    struct strata_reader *reader;
    struct reader_ahead *ahead; /* a thread that reads its blocks; NULL: this one does */
    struct strata_dispatcher *dispatcher;
    struct strata_occupancy occupancy;
    struct sm_decoder decoder;
    struct sm_scheduler order; /* of PTX, as an assembler would make it */
    bool ordered;
    uint32_t policy;                   /* of the schedulers: enum strata_scheduler */
    struct strata_memory_state *state; /* NULL: the launch began cold */
    struct memory_code code;           /* where its code lies, if not */
    struct fetch_sm *fetch;
    uint64_t *barrier_out64; /* of each SM: when the last warp has left a barrier, in 64ths */
    uint32_t barrier_64ths, barrier_block_64ths; /* a warp takes of that, another block more */
    struct flow_block *block;                    /* n_sms * blocks_per_sm places */
    struct flow_warp *warp;                      /* n_sms * slots; set up where `used` */
    void *warp_memory, *scheduler_memory;        /* what these stand in, which begins anywhere */
    struct flow_groups *groups;                  /* of each warp */
    struct sm_window *window;                    /* likewise, if instructions are put in order */
    struct strata_cursor_memory *cursor_memory;  /* likewise */
    struct flow_scheduler *scheduler;
    struct flow_tma *tma;       /* by SM; NULL: the launch has no bulk copies */
    struct flow_tensor *tensor; /* by scheduler */
    bool has_products;          /* of warpgroups, so far */
    struct phase_barriers barriers;
    struct flow_swaps swaps;
    uint64_t swap_again; /* the swap just issued failed, and its answer is there then; 0: not so */
    uint32_t n_schedulers, schedulers_per_sm, slots_per_sm, warps_per_block, n_warps;
    uint32_t n_due;      /* slots of a scheduler, in whole FLOW_DUE_TOGETHER */
    uint32_t unit_ahead; /* sm.lsu_queue_cycles */
    /* Entities of the wheel: the slots of a scheduler and behind them its units (enum flow_unit),
     * so that each tells its scheduler; then its cycles, with which their lists begin and end. */
    uint32_t slot_bits, first_unit, first_cycle;
    uint32_t *wheel_next, *wheel_last;               /* list links; the last entity of each cycle */
    uint8_t *wheel_used;                             /* 1: a cycle that holds something */
    uint32_t *now_due, now_first, now_end, now_mask; /* what is due now besides: a ring */
    uint64_t now;
    uint64_t next_age;
    uint32_t warps_apart;     /* cycles from one warp of a block that begins to the next */
    uint64_t dispatch_free64; /* the dispatcher hands out the next block then, in 64ths */
    uint64_t noted_free64;    /* and takes note of the next one that has ended */
    uint32_t register_cap;    /* words of a scoreboard */
    uint32_t *register_ready; /* scoreboards of all warps */
    void *register_memory;    /* what they stand in */
    uint32_t resident_blocks;
    bool blocks_over;
    bool *multiplies;      /* by SM: its tensor cores have worked */
    uint32_t n_multiplies; /* SMs of which that is so */
    uint64_t slow_since;   /* when sm.tensor_clock began; UINT64_MAX: not yet */
    /* statistics */
    uint64_t end_time;
    uint64_t stall_cycles[SM_N_STALLS];
    uint64_t *sm_start, *sm_busy, *sm_next_start; /* next: in the first wave */
    uint32_t *sm_resident;
    uint64_t unknown_opcodes, texture_accesses;
    struct constants_used constants;
    uint64_t constant_held; /* cycles that the last load of constants holds its warp */
    struct sm_async_totals async;
    const struct strata_clock_sink *clock; /* may be NULL */
    struct flow_waits *waits;              /* likewise */
    bool is_watched;                       /* one of them is there */
    struct flow_waves waves_only;          /* of which the launch is predicted */
    struct strata_error *err;
    strata_status status;
    struct hierarchy memory; /* the large parts come last */
    struct fetch_gpu fetch_all;
};

/* Where the engine keeps warp k of a block. */
static inline uint32_t flow_warp_index(const struct flow_engine *e, const struct flow_block *b,
                                       uint32_t k)
{
    return b->first_warp + sm_slot_of_warp(e->gpu, e->warps_per_block, b->nth, k);
}

/* What an assembler would do to PTX. */
struct flow_assembler {
    bool schedule;   /* it moves independent instructions together */
    uint32_t unroll; /* rounds of a counted loop that it makes one, 1: none */
};
strata_status flow_engine_init(struct flow_engine *e, const struct strata_gpu *gpu,
                               struct strata_reader *reader, uint64_t seed,
                               const struct flow_assembler *assembler,
                               struct strata_memory_state *state, struct strata_error *err);
void flow_engine_release(struct flow_engine *e);
strata_status flow_engine_run(struct flow_engine *e);
void flow_report(struct flow_engine *e, struct strata_result *out);
extern const struct strata_model strata_model_flow;

#endif
