/* strata/gpu.h - descriptions of GPUs: everything that differs between two cards.
 *
 * A description is read from a YAML file with named keys; every key is one row
 * of a table (src/gpu/gpu_keys.c) that holds its path, type, unit, bounds,
 * default, help text and place in `struct strata_gpu`. Parsing, validation,
 * `strata gpu show|diff`, `--set key=value` and sweeps all walk that table.
 *
 * Units are in the names: _bytes, _cycles (SM clocks), _mhz, _per_cycle.
 * A value of 0 for a bandwidth, a count of MSHRs or a queue means "unlimited":
 * that is how one mechanism is taken out of a model. */
#ifndef STRATA_GPU_H
#define STRATA_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/status.h>
#include <strata/trace.h>

#define STRATA_MAX_SMS            256
#define STRATA_MAX_CARVEOUTS      16
#define STRATA_MAX_WAYS           64
#define STRATA_MAX_CACHE_LINES    (1u << 28) /* of one L1, of the L2, of a TLB */
#define STRATA_MAX_CONSTANT_LINES 64         /* of an SM's cache of constants */
#define STRATA_MAX_UNIFORM_LINES  16         /* of those at hand for uniform registers */
#define STRATA_GPU_MAX_KEYS       400
#define STRATA_GPU_TEXT           4096 /* holds the text of any value */

enum strata_coalesce_rule {
    STRATA_COALESCE_FERMI = 0,
    STRATA_COALESCE_SECTOR,
    STRATA_COALESCE_OCTET
};
enum strata_bank_mode { STRATA_BANKS_4B = 0, STRATA_BANKS_8B };
enum strata_scheduler {
    STRATA_SCHED_LRR = 0,
    STRATA_SCHED_GTO,
    STRATA_SCHED_OLDEST,
    STRATA_SCHED_GTY,         /* greedy, then the youngest */
    STRATA_SCHED_LRR_STORES,  /* by turns, but a warp with several stores in a row goes on */
    STRATA_SCHED_OLDEST_BLOCK /* likewise, among the warps of the oldest block that can issue */
};
enum strata_replacement {
    STRATA_REPL_LRU = 0,
    STRATA_REPL_FIFO,
    STRATA_REPL_RANDOM,
    STRATA_REPL_PLRU,
    STRATA_REPL_WEIGHTED,
    STRATA_REPL_NRU,
    STRATA_REPL_NOT_MRU,
    STRATA_REPL_SRRIP,
    STRATA_REPL_AGED
};
enum strata_index_hash {
    STRATA_INDEX_LINEAR = 0,
    STRATA_INDEX_XOR,
    STRATA_INDEX_FERMI,
    STRATA_INDEX_IPOLY,
    STRATA_INDEX_MIX,
    STRATA_INDEX_BITS,
    STRATA_INDEX_SCATTER,
    STRATA_INDEX_DEAL
};
enum strata_alloc { STRATA_ALLOC_ON_MISS = 0, STRATA_ALLOC_ON_FILL, STRATA_ALLOC_STREAMING };
enum strata_write_policy {
    STRATA_WRITE_THROUGH_NO_ALLOCATE = 0,
    STRATA_WRITE_THROUGH_ALLOCATE,
    STRATA_WRITE_EVICT,
    STRATA_WRITE_BACK
};
enum strata_write_miss {
    STRATA_FETCH_ON_WRITE = 0,
    STRATA_WRITE_VALIDATE,
    STRATA_LAZY_FETCH_ON_READ
};
enum strata_channel_hash {
    STRATA_CHANNEL_NONE = 0,
    STRATA_CHANNEL_XOR,
    STRATA_CHANNEL_IPOLY,
    STRATA_CHANNEL_MIX
};
enum strata_dram_sched { STRATA_DRAM_FCFS = 0, STRATA_DRAM_FRFCFS };

/* One functional cache: the L1, one L2 slice, a texture or read-only cache, a TLB. */
struct strata_cache_config {
    uint64_t size_bytes;
    uint32_t line_bytes;
    uint32_t sector_bytes;   /* = line_bytes for an unsectored cache */
    uint32_t ways;           /* 0: fully associative */
    uint32_t index_hash;     /* enum strata_index_hash */
    uint32_t index_bits[16]; /* address bits that select the set (STRATA_INDEX_BITS, _SCATTER) */
    uint32_t n_index_bits;
    uint32_t replacement; /* enum strata_replacement */
    double
        way_weight[STRATA_MAX_WAYS]; /* STRATA_REPL_WEIGHTED: probability of each way as victim */
    uint32_t n_way_weight;
    uint32_t set_ways[STRATA_MAX_WAYS]; /* unequal sets: ways of each set; n = 0 if all are equal */
    uint32_t n_set_ways;
    uint32_t tag_ways; /* tags apart from the data: a set of them holds so many lines, 0 = no such
                          limit */
    uint32_t tag_hash[32]; /* set numbers that the line-number bits above the lowest ones flip; the
                              lowest log2(tag_sets) bits are the set number itself */
    uint32_t n_tag_hash;
    uint32_t tag_sets; /* a power of two */
};

enum strata_copies { STRATA_COPIES_KEEP = 0, STRATA_COPIES_FREE_PLACES, STRATA_COPIES_DROP };

struct strata_gpu {
    char name[64];
    char description[256];
    char evidence[64];   /* the key class: what the numbers rest on, "" or a text of the table in
                            gpu_validate.c */
    uint32_t sm_version; /* 90 for sm_90 */

    struct {
        uint32_t count;
        uint32_t clock_mhz;
        uint32_t warp_size;
        uint32_t max_warps, max_blocks, max_threads;
        uint32_t registers;           /* 32-bit registers per SM */
        uint32_t register_alloc_unit; /* registers are given to a warp in multiples of this */
        uint32_t max_registers_per_thread;
        uint32_t warp_alloc_granularity; /* warps of a block are rounded up to a multiple of this */
        uint32_t schedulers;
        uint32_t scheduler_policy; /* enum strata_scheduler */
        uint32_t issue_per_scheduler;
        /* result latencies, cycles from issue to a dependent issue */
        uint32_t latency_int_cycles, latency_imad_cycles, latency_fp32_cycles, latency_fp64_cycles,
            latency_fp16_cycles, latency_sfu_cycles, latency_conv_cycles, latency_tensor_cycles,
            latency_uniform_cycles, latency_sreg_cycles, latency_const_cycles,
            latency_shuffle_cycles, latency_vote_cycles, latency_branch_cycles,
            latency_barrier_cycles;
        /* of votes and branches that take longer, 0: they do not */
        uint32_t latency_redux_cycles, latency_match_cycles, latency_return_cycles,
            latency_converge_cycles, latency_break_cycles, latency_sreg_uniform_cycles;
        uint32_t const_address_cycles; /* more for each further address that a warp's load of
                                          constants names */
        /* initiation intervals per scheduler: cycles a unit is taken by one warp instruction */
        uint32_t interval_int_cycles, interval_imad_cycles, interval_fp32_cycles,
            interval_fp64_cycles, interval_fp16_cycles, interval_sfu_cycles, interval_conv_cycles,
            interval_tensor_cycles, interval_uniform_cycles, interval_branch_cycles;
        uint32_t interval_break_cycles;                                   /* 0: as any branch */
        uint32_t interval_tensor_int_cycles, interval_tensor_fp64_cycles; /* 0: as any product */
        uint32_t interval_const_cycles; /* of an SM: between two addresses of constants */
        uint32_t min_issue_gap_cycles;  /* between two instructions of one warp */
        double wgmma_hold_cycles;  /* besides its own, that an instruction keeps its scheduler while
                                      the tensor core multiplies for a warpgroup */
        double wgmma_spread;       /* share by which that differs between blocks */
        uint32_t hold_wide_cycles; /* besides its own, that a product of 64 bits keeps its
                                      scheduler from issuing */
        uint32_t block_step; /* schedulers from a block's first warp to that of the SM's next */
        uint32_t operands_cycles;   /* until the load/store unit has read them; 0: latency_int */
        uint32_t instruction_bytes; /* 16 on Volta and later, 8 before; 0: fetch not modelled */
        uint32_t const_fetch_bytes; /* constants come from memory in such blocks; 0: uncounted */
        uint32_t const_cache_bytes; /* of an SM's constants; 0: all are found */
        uint32_t const_cache_line_bytes, const_cache_ways;
        uint32_t const_uniform_bytes; /* of constants at hand for loads to uniform registers; 0: as
                                         other loads */
        uint32_t const_uniform_miss_cycles; /* such a load is held for a line that is not there */
        uint32_t const_own_cycles;  /* latency of a load of the program's constants; 0: as others */
        uint32_t const_miss_cycles; /* more for a line that is not there, one after another */
        uint32_t const_cold_cycles; /* more yet for a block that no load of the SM has named */
        uint32_t fetch_line_bytes;  /* instructions arrive in lines of this many bytes */
        uint32_t
            fetch_interval_cycles;   /* between two lines of straight code that was never fetched */
        uint32_t fetch_miss_cycles;  /* a jump to a line that this SM has not fetched, L2 hit */
        uint32_t fetch_cold_cycles;  /* the same for a line that no SM has fetched */
        uint32_t fetch_first_cycles; /* the first line where a launch brings code in by itself */
        uint32_t fetch_early_cycles; /* a jump to another line of that code */
        double fetch_early_line_cycles; /* its lines come so far apart */
        double barrier_warp_cycles;  /* a barrier takes this much more for each warp of the block */
        double barrier_block_cycles; /* between the last warp of a block that leaves a barrier and
                                        the first of another block */
        uint32_t lsu_queue_cycles;   /* work the load/store unit accepts ahead, per SM */
        uint64_t fetch_near_bytes;   /* code that a scheduler runs at full rate; 0: no limit */
        uint64_t fetch_middle_bytes; /* code that the SM keeps; beyond it comes from the L2 */
        uint64_t fetch_prefetch_bytes; /* code that a launch brings into the L2 by itself */
        uint32_t fetch_far_cycles;     /* between two lines of a loop that come from the L2 */
        uint32_t fetch_stream_cycles;  /* between two lines of a stream from DRAM; 0: as any */
        uint64_t fetch_own_bytes;      /* code that a scheduler has by itself; 0: as near */
        uint32_t fetch_jump_cycles;    /* a jump to a line that is near but not there */
        uint32_t
            fetch_middle_jump_cycles;     /* a jump to a line of the middle cache; 0: as a stream */
        uint32_t fetch_early_next_cycles; /* an SM's further jumps to early code; 0: as the first */
        uint32_t fetch_ways;              /* of the near and the middle cache; 0: full */
        uint32_t fetch_ahead_lines; /* lines of straight code asked for before they are needed */
        uint64_t local_base_bytes;  /* address where the local memory of the GPU's warps begins */
        uint64_t local_warp_bytes;  /* ... and how far apart that of two warps is */
        /* Asynchronous work of Hopper. */
        uint32_t tensor_clock_mhz; /* while tensor cores of tensor_clock_sms SMs work; 0: as ever */
        uint32_t tensor_clock_sms;
        double wgmma_columns_per_cycle;   /* of a warpgroup's product, 64 rows; 0: no limit */
        uint32_t wgmma_queue;             /* products that a tensor core has taken; 0: no limit */
        uint32_t wgmma_latency_cycles;    /* from the end of a product to the wait for it */
        uint32_t mbarrier_latency_cycles; /* from the last arrival to the warps that wait */
        uint32_t cluster_latency_cycles;  /* the same for the barrier of a cluster */
        uint32_t remote_latency_cycles;   /* to the shared memory of another block of a cluster */
        uint32_t tma_issue_cycles;        /* from a bulk copy to its first request */
        uint32_t tma_complete_cycles;     /* from its last data to the barrier */
        uint32_t tma_multicast_cycles;    /* more for a copy to several blocks of a cluster */
        uint32_t fence_cycles;            /* a fence for more than the block, nothing under way */
        double tma_bytes_per_cycle;       /* that bulk copies bring into an SM; 0: no limit */
        double tma_lines_per_cycle;       /* requests it makes; 0: no limit */
    } sm;

    struct {
        uint32_t gpcs;
        /* SMs in the order in which the first wave of blocks is dealt (see src/place). */
        uint32_t order[STRATA_MAX_SMS];
        uint32_t n_order;
        uint32_t singles; /* SMs at the head of order that are dealt apart from the clusters */
        uint32_t gpc_of_sm[STRATA_MAX_SMS];
        uint32_t n_gpc_of_sm;
        uint32_t launch_cycles;         /* from the start of the measured time to the first block */
        uint32_t drain_cycles;          /* from the last exit to the end of the measured time */
        double drain_sm_cycles;         /* and this for each SM that ran blocks ... */
        double drain_warp_cycles;       /* ... and for each warp that the GPU held at once */
        uint32_t block_replace_cycles;  /* a freed slot takes the next block after this */
        uint32_t next_warp_cycles;      /* from one warp of such a block to the next */
        uint32_t block_interval_cycles; /* between two blocks the dispatcher hands out */
        uint32_t dram_sectors;          /* read from DRAM once a launch, besides code and data */
        uint32_t code_readers;          /* that ask the L2 for code and the like, each by itself */
        uint32_t reader_sectors;        /* each of these reads besides, of what the L2 holds */
        uint32_t front_sectors;         /* read from the L2 once a launch by nobody of these */
        double background_every_us;     /* the card does this besides, whatever runs; 0 = never */
        uint32_t background_dram_reads, background_dram_writes; /* sectors each time */
        uint32_t background_l2_reads, background_l2_writes;
        double blocks_per_cycle;     /* how fast the dispatcher hands out blocks, 0 = unlimited */
        uint32_t first_block_cycles; /* first wave: an SM takes its next block after this ... */
        uint32_t first_warp_cycles;  /* ... or after this for each warp of a block, the longer; both
                                        0:  the first wave is handed out like every other block */
        double schedulers_apart; /* cycles between the first instructions of two schedulers of an
                                    SM, for each SM of the GPC that begins */
    } launch;

    struct {
        uint32_t rule; /* enum strata_coalesce_rule */
    } coalesce;

    struct {
        uint32_t banks;
        uint32_t bank_mode; /* enum strata_bank_mode */
        uint32_t latency_cycles;
        uint32_t access_cycles; /* of the load/store unit, at least */
        uint32_t pass_cycles;   /* more for each pass over the banks beyond the first */
        uint32_t bytes_per_cycle;
        uint64_t per_sm_bytes;    /* most shared memory blocks of one SM may use together */
        uint64_t per_block_bytes; /* without opting in */
        uint64_t per_block_optin_bytes;
        uint32_t per_block_reserved_bytes;
        uint32_t alloc_unit_bytes;
    } shared;

    struct {
        bool enabled; /* global loads go through it */
        struct strata_cache_config
            cache;              /* size_bytes: without a carve-out table; else the largest */
        uint64_t unified_bytes; /* L1 + shared, 0 if they are apart */
        uint64_t carveout_bytes[STRATA_MAX_CARVEOUTS]; /* sizes shared memory can take of it,
                                                          ascending */
        uint32_t n_carveout;
        uint32_t carveout_rule; /* enum strata_carveout_rule, see <strata/place.h> */
        uint32_t allocate;      /* enum strata_alloc */
        uint32_t write_policy;  /* enum strata_write_policy */
        uint32_t write_miss;    /* enum strata_write_miss */
        uint32_t banks;
        uint32_t mshrs; /* lines or sectors in flight, 0 = unlimited */
        uint32_t mshr_merges;
        uint32_t mshrs_per_warp; /* paper 000, section 5.2; 0 = no limit */
        uint32_t hit_cycles;
        uint32_t tags_per_cycle; /* lines looked up a cycle */
        /* of the texture unit for a warp's read, by one whole coordinate; 0: reads are loads */
        uint32_t texture_read_cycles, texture_line_cycles;
        uint32_t texture_pitched_sectors; /* a request of a pitched texture; 0: those of a line */
        /* load to use of a texture's read that hits, by one whole coordinate; 0: as a load's */
        uint32_t texture_hit_cycles, texture_line_hit_cycles;
        uint32_t texture_filter_cycles; /* more where a filter may mix texels */
        uint32_t texture_filter_bytes;  /* of a lane's texel in one pass of a filter; 0: all */
        uint32_t tag_banks[4]; /* line-number bits whose parity is a bit of the tags' bank; each
                                  bank looks up its share of them */
        uint32_t n_tag_banks;
        uint32_t bytes_per_cycle;    /* data to the registers */
        bool inflight_counts_as_hit; /* how the profiler counts */
        bool tag_hit_counts_as_hit;  /* the same, for a sector whose line is there */
        bool store_counts_by_line;   /* a stored sector is a hit where its line is there */
        bool store_restarts_line;    /* a store drops what is on its way to its line */
        bool around_voids_line;      /* what goes around the L1 leaves nothing of its line there */
        bool store_keeps_words;      /* bytes stored to a word that is not there are not kept */
        uint32_t reserved_lines;     /* lines of the nominal size that never hold data */
        uint32_t miss_requests_per_cycle; /* line requests that leave for the L2, 0 = unlimited */
        uint32_t miss_join_cycles;    /* a request waits so long for misses of its line, 0 = not */
        uint32_t miss_queue_lines;    /* requests that wait at a time, 0 = no misses join */
        uint32_t store_leaving_lines; /* that have left it and are still read out */
        uint32_t store_narrow_places; /* that a line of stores below a word takes of them; 0: one */
        uint32_t store_buffer_lines;  /* stores wait here and merge, 0 = each leaves at once */
        uint32_t store_idle_cycles;   /* they leave when no store has touched their line for so many
                                         cycles  in which the load/store unit was idle */
        uint32_t store_wait_cycles;   /* ... or for so many cycles in all */
        uint32_t store_drain_cycles;  /* cycles of the load/store unit that one whole line takes to
                                         leave */
        uint32_t store_cycles; /* the load/store unit is taken by a store at least this long */
        uint32_t pass_cycles;  /* more for each further cycle that a load takes the unit */
    } l1;

    struct {
        uint32_t request_coalescer_window_cycles; /* 0: none (Hopper's L2 request coalescer) */
        uint32_t request_coalescer_scope; /* SMs that share one: 0 = a GPC, else a number of SMs */
        uint32_t request_bytes_per_cycle_per_sm; /* SM -> crossbar */
        uint32_t response_bytes_per_cycle_per_sm;
        uint32_t
            total_bytes_per_cycle; /* of the whole crossbar, each way, SM clocks; 0 = unlimited */
        uint32_t flit_bytes;
        uint32_t latency_cycles; /* one way, without contention */
        uint32_t clock_mhz;
        uint32_t
            coalescer_return_cycles; /* a line stays open in the request coalescer until its data is
                                        this far from the SM; 0: for the fixed window */
        uint32_t request_coalescer_lines;    /* lines it can hold open, 0 = any number */
        uint32_t coalescer_bulk_lines;       /* of bulk copies, 0 = as of loads */
        uint32_t request_coalescer_requests; /* requests that share one answer, 0 = any number */
        bool
            coalescer_one_part, /* a line of which other sectors are asked for too merges no more */
            coalescer_side;     /* nor if it is another group of the same partition that does */
        uint32_t queue;         /* requests in front of one slice, 0 = any number */
        uint32_t port_buffer_cycles; /* stores and atomics in front of the port of an SM that do not
                                        hold up the load/store unit */
        uint32_t port_atomics;       /* of each SM that may wait for a slice; 0: any number */
        uint32_t port_sms;           /* neighbouring SMs that share that port */
        uint32_t head_flits;         /* of a packet of stores, unless whole sectors hide them */
        double way_share;            /* of l2.hit that one way takes, where latency_cycles is 0 */
        double host_store_cycles;    /* from one sector stored to memory of the host to the next, of
                                        all SMs; 0: as the card's memory */
        uint32_t host_atomic_cycles; /* that an atomic on it takes more */
        uint32_t host_atomic_interval_cycles; /* from one atomic to the next on one line of it */
        uint32_t host_lane_sectors; /* read from DRAM once a launch for each lane but one that
                                       stores to it */
    } xbar;

    struct {
        uint32_t slices;
        uint32_t partitions;
        struct strata_cache_config cache; /* of the whole L2: size_bytes is the total */
        uint64_t effective_bytes;  /* what one SM's data can occupy (copies in two partitions) */
        uint32_t write_miss;       /* enum strata_write_miss */
        uint32_t channel_hash;     /* enum strata_channel_hash */
        uint32_t fetch_bytes;      /* granularity of a DRAM fetch */
        uint32_t hit_cycles;       /* load to use, as an SM sees it, near partition */
        uint32_t far_extra_cycles; /* more for the far partition */
        uint32_t bytes_per_cycle_per_slice;
        double fabric_head;              /* sectors that a request over it takes besides its own */
        uint32_t fabric_bytes_per_cycle; /* link between the partitions, each way */
        double request_cycles;           /* a slice is busy with one request at least this long */
        double write_flit_cycles;        /* each flit of a write, and its head */
        double mask_flit_cycles;         /* that of the bytes of one sector; 0: as any */
        double overtaken_cycles; /* more for a write in part of sectors that are being fetched */
        double overtaken_sector_cycles; /* and for each of them */
        double clean_hold_cycles;    /* a way in is held up where a write to a line in part has one
                                        cleaned */
        double partial_fill_cycles;  /* more for each sector read around written bytes */
        double partial_write_cycles; /* more for each sector of which only a part is written */
        double atomic_whole_cycles;  /* an atomic on all words of a sector, 0 = the same */
        bool copies_void;            /* copies of a line that is changed at its home */
        double atomic_float_cycles;  /* between additions of floats to one sector, 0 = as any */
        double atomic_cycles;        /* a slice is busy with one atomic sector */
        uint32_t slice_pair_bytes;   /* bytes that two slices take in quarters in turn, 0 = none */
        uint32_t mshrs;
        uint32_t mshr_merges;
        uint32_t clock_mhz;
        bool fill_on_memcpy;
        uint64_t persisting_max_bytes; /* the most that may be set aside; 0: no line persists */
        uint64_t window_max_bytes;     /* of an access policy window */
        uint32_t window_steps;         /* parts of a hit ratio that are told apart */
        uint32_t home_bytes; /* addresses change their home partition in blocks of this size */
        uint32_t partition_of_gpc[32];
        uint32_t n_partition_of_gpc;
        uint64_t prefetch_bytes; /* a read from DRAM brings so many bytes behind it too (strata
                                    dissect) */
        uint64_t dirty_bytes;    /* lines that may be dirty, in bytes of whole lines, 0 = all */
        uint32_t dirty_ways;     /* of them lines of one set, 0 = all */
        uint64_t dirty_partial_bytes;  /* of them lines with a sector written in part, 0 = all */
        uint64_t dirty_at_start_bytes; /* dirty lines of others when a launch begins */
        double dirty_at_start_ways;    /* share of the ways they take in the sets they are in */
        uint32_t dirty_dealt;          /* dirty lines of a set that lines are dealt into */
        uint32_t dirty_ahead;          /* lines of a set that read hits write back after one */
        uint32_t clean_wait_cycles;    /* that lines may wait for DRAM before stores do; 0: any */
        uint32_t partial_ways;         /* lines of a set with a sector written in part, 0 = all */
        uint32_t partial_ways_hit;     /* the same when a write finds its line so, 0 = all */
        uint32_t home_bits[16]; /* address bits whose parity is the home (two partitions); n = 0:
                                   scattered */
        uint32_t n_home_bits;
    } l2;

    struct {
        uint64_t capacity_bytes; /* what a traced program finds */
        uint32_t channels;
        uint32_t interleave_bytes; /* neighbouring blocks of this size are in other channels */
        uint32_t bus_bytes;        /* per channel */
        uint32_t burst_length;
        uint32_t clock_mhz;       /* command clock */
        uint32_t data_rate;       /* transfers per command clock */
        uint32_t access_cycles;   /* more than an L2 hit, in SM cycles, row hit, no queue */
        double write_row;         /* turns of a row that is opened for a write */
        uint32_t row_miss_cycles; /* more than that for a row miss */
        double efficiency;        /* share of the pins' bandwidth a stream reaches */
        uint32_t banks, bank_groups, row_bytes;
        uint32_t tCCD, tCCDL, tRRD, tRCD, tRAS, tRP, tRC, tCL, tWL, tCDLR, tWR, tRTPL, tFAW, tRFC,
            tREFI;
        uint32_t refresh_groups;       /* channels of a group refresh together; 0: each by itself */
        uint32_t refresh_block_bytes;  /* refreshed together, apart from others; 0: channels are */
        uint32_t refresh_bank_cycles;  /* such a block cannot be read, in SM cycles */
        uint32_t refresh_every_cycles; /* from one such time to the next */
        bool dual_command_bus, per_bank_refresh, separate_write_queue, bank_hash;
        uint32_t read_queue, write_queue, write_high, write_low;
        uint32_t write_room; /* writes that wait at a channel before its slices take no more; 0 =
                                any number */
        uint32_t scheduler;  /* enum strata_dram_sched */
        uint32_t age_limit;  /* clocks after which open rows no longer go first; 0 = never */
    } dram;

    struct {
        bool enabled;
        uint64_t page_bytes;
        struct strata_cache_config l1, l2; /* line_bytes = page, size_bytes = entries * page */
        uint32_t l1_miss_cycles, l2_miss_cycles;
        uint32_t cold_cycles;   /* more for the first walk of a page */
        uint64_t active_bytes;  /* pages of so many bytes are active at once, 0 = all */
        uint32_t switch_cycles; /* more for a page outside them */
        bool before_l1;         /* the L1 data cache is reached through the TLBs */
    } tlb;

    /* Caches of other paths on the SM (paper 002, section 4.3); size_bytes 0: there is none. */
    struct {
        struct strata_cache_config cache;
        uint32_t hit_cycles;
    } texture, readonly;

    /* The time of paper 000's model is counted in turns of the warp queue, not in cycles. */
    struct {
        uint32_t hit_steps;
        uint32_t miss_steps;         /* lambda_min, section 4.2 */
        double miss_deviation_steps; /* sigma of the half-normal part, section 4.2 */
    } reuse;

    struct {
        uint32_t mshrs; /* that the interval model takes l1.mshrs = 0 for */
    } interval;

    /* What lies between two launches of a program. */
    struct {
        uint32_t copies_in;       /* enum strata_copies */
        uint64_t others_at_start; /* bytes that others have in the L2 when a program begins */
        uint64_t copies_small;    /* bytes; up to so many are kept in any case */
        bool on_device_kept;      /* fills and copies on the device leave their data in the L2 */
        bool tlb;                 /* the second TLB keeps its pages */
        /* From the end of a launch to the start of one that waits for it, in microseconds; what
         * a profiler counts of a launch before its first and after its last block is not in it. */
        double stream_gap_us, event_gap_us, graph_gap_us, dependent_gap_us;
        double host_launch_us, host_copy_us, host_graph_us, host_wait_us; /* the host's time */
        double engine_gap_us; /* between a copy to or from the host and a launch, instead */
        double copy_start_us, fill_start_us;
        double host_to_device, device_to_host, on_device, fill_rate; /* bytes a microsecond */
    } between;

    /* Where each value came from, by index of its key; offsets into `notes`, 0 = "". Kept inside so
     * that a description is one plain value: copies made for sweeps keep their sources. */
    struct strata_gpu_origin {
        uint16_t source; /* the note a file gives with the number */
        uint16_t file;   /* 0: never set, the table's default holds */
        uint16_t column;
        uint32_t line;
    } origin[STRATA_GPU_MAX_KEYS];
    char notes[49152];
    uint32_t n_notes; /* bytes used of notes */
};

enum strata_gpu_type {
    STRATA_GPU_BOOL,    /* bool */
    STRATA_GPU_UINT,    /* uint32_t */
    STRATA_GPU_SIZE,    /* uint64_t, bytes */
    STRATA_GPU_SIZE32,  /* uint32_t, bytes */
    STRATA_GPU_DOUBLE,  /* double */
    STRATA_GPU_ENUM,    /* uint32_t, index into names */
    STRATA_GPU_STRING,  /* char[capacity] */
    STRATA_GPU_UINTS,   /* uint32_t[capacity] and a uint32_t count */
    STRATA_GPU_SIZES,   /* uint64_t[capacity], bytes, and a uint32_t count */
    STRATA_GPU_DOUBLES, /* double[capacity] and a uint32_t count */
};

/* One row of the table of keys: all there is to say about one value of a description. */
struct strata_gpu_key {
    const char *path; /* dotted, as the YAML file nests it: "l1.size" */
    enum strata_gpu_type type;
    const char *unit; /* "bytes", "cycles", "MHz", ...; "" for a plain count, name or list */
    double min, max;  /* of the value, or of each element */
    const char *default_text;
    const char *const *names; /* STRATA_GPU_ENUM: NULL-terminated */
    size_t offset;            /* of the value in struct strata_gpu */
    size_t count_offset;      /* of the number of elements (lists) */
    uint32_t capacity;        /* elements, or bytes of a string */
    bool required;            /* a file without it (and without a base that has it) is an error */
    const char *help;         /* one line */
};

size_t strata_gpu_n_keys(void);
const struct strata_gpu_key *strata_gpu_key(size_t i);
/* NULL if there is none; strata_gpu_key_index gives SIZE_MAX. */
const struct strata_gpu_key *strata_gpu_find_key(const char *path);
size_t strata_gpu_key_index(const char *path);
/* The value as text ("256KiB", "1980", "124-131, 0-1"), which strata_gpu_set reads back; returns
 * `out`. The unit of a plain number is the key's. */
const char *strata_gpu_value_text(const struct strata_gpu *gpu, const struct strata_gpu_key *key,
                                  char *out, size_t size);
/* The number of elements (1 unless the key is a list) and one of them, in the key's unit; a name or
 * a truth value gives its index. Not for strings. */
uint32_t strata_gpu_count(const struct strata_gpu *gpu, const struct strata_gpu_key *key);
double strata_gpu_number(const struct strata_gpu *gpu, const struct strata_gpu_key *key,
                         uint32_t i);
/* The note a file gave with the number; "" if none or if the default holds. */
const char *strata_gpu_source(const struct strata_gpu *gpu, const struct strata_gpu_key *key);
/* Whether a file or strata_gpu_set gave this value. */
bool strata_gpu_is_set(const struct strata_gpu *gpu, const struct strata_gpu_key *key);
/* Calls `visit` for every key in the table's order until it returns false. */
typedef bool strata_gpu_visit(void *context, const struct strata_gpu_key *key, const char *value,
                              const char *source);
void strata_gpu_each(const struct strata_gpu *gpu, strata_gpu_visit *visit, void *context);

/* What follows from the values: sets, totals over SMs and slices, peak bandwidths, the L1 that each
 * carve-out leaves. `how` says from what it was computed. Until `visit` returns false. */
typedef bool strata_gpu_visit_total(void *context, const char *name, double value, const char *unit,
                                    const char *how);
void strata_gpu_totals(const struct strata_gpu *gpu, strata_gpu_visit_total *visit, void *context);
/* Bandwidth of the DRAM pins. */
double strata_gpu_dram_bytes_per_second(const struct strata_gpu *gpu);
/* "96KiB" and the like: the largest binary unit in which the number is whole. */
const char *strata_gpu_size_text(uint64_t bytes, char *out, size_t size);

/* Every value at its default: a start for tests and for descriptions built in memory. */
void strata_gpu_init(struct strata_gpu *gpu);

/* The values a YAML file for this GPU would hold (with sources), as one string to be freed. */
strata_status strata_gpu_to_yaml(const struct strata_gpu *gpu, char **text,
                                 struct strata_error *err);

/* By name ("h200": looked up in the data folders given by strata_gpu_add_path) or by path to a
 * YAML file. */
strata_status strata_gpu_load(const char *name_or_path, struct strata_gpu *out,
                              struct strata_error *err);
strata_status strata_gpu_parse(const char *text, size_t length, const char *file,
                               struct strata_gpu *out, struct strata_error *err);
/* Reads the text of a gpgpusim.config (or trace.config) over what `gpu` holds; start with
 * strata_gpu_init. `ignored` (may be NULL) is called for every option that has no counterpart here,
 * with the reason. The caller validates. */
typedef void strata_gpu_ignored(void *context, const char *option, const char *value,
                                const char *why);
strata_status strata_gpu_import(const char *text, size_t length, const char *file,
                                struct strata_gpu *gpu, strata_gpu_ignored *ignored, void *context,
                                struct strata_error *err);

/* Where the file of that name lies (or the path itself if it is one), for messages and `gpu list`.
 */
strata_status strata_gpu_locate(const char *name_or_path, char *path, size_t size,
                                struct strata_error *err);
/* The folders of the search list, first to be searched first; NULL after the last. */
const char *strata_gpu_path(size_t i);
/* Adds a folder to the front of the search list (a copy is made). Not thread-safe. */
strata_status strata_gpu_add_path(const char *folder, struct strata_error *err);
/* One key by its dotted path, value as in a YAML file ("l1.size", "96KiB"); as a file gives it. */
strata_status strata_gpu_set(struct strata_gpu *gpu, const char *key, const char *value,
                             struct strata_error *err);
/* The same for a GPU that is complete, as --set and sweeps do it. What hangs on the key follows:
 * with sm.count the lists of SMs (those that are gone leave them, new ones come at the end), and a
 * size given to the L1 is its own, not what shared memory leaves of a common store. A size given to
 * the L2 becomes the nearest whole number of sets in each slice, and l2.effective and l2.dirty stay
 * the same part of it. */
strata_status strata_gpu_override(struct strata_gpu *gpu, const char *key, const char *value,
                                  struct strata_error *err);
/* Of all values, whatever file or option gave them, without name, description and sources: GPUs
 * with equal digests are the same to every model. Never 0. */
uint64_t strata_gpu_digest(const struct strata_gpu *gpu);
/* Checks values against one another (sets are whole numbers, order covers all SMs, ...). */
strata_status strata_gpu_validate(const struct strata_gpu *gpu, const char *file,
                                  struct strata_error *err);

#endif
