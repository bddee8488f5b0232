/* gpu_keys.c - the table of keys: adding one to GPU files is adding one row here.
 *
 * Parsing, checking, `strata gpu show|diff|keys`, --set, sweeps and
 * docs/gpu-keys.md all walk this table. Order = order of printing. */
#include <stddef.h>
#include <string.h>

#include <strata/gpu.h>

#include "gpu/gpu_internal.h"

#define AT(field) offsetof(struct strata_gpu, field)

/* One row a line, so: */
/* clang-format off */
/* path, field, (unit,) bounds, default, help */
#define UINT(p, f, u, lo, hi, def, text) {.path = p, .type = STRATA_GPU_UINT, .unit = u, .min = lo, .max = hi, .default_text = def, .offset = AT(f), .help = text}
#define NEEDED(p, f, u, lo, hi, def, text) {.path = p, .type = STRATA_GPU_UINT, .unit = u, .min = lo, .max = hi, .default_text = def, .offset = AT(f), .required = true, .help = text}
#define SIZE(p, f, lo, hi, def, text) {.path = p, .type = STRATA_GPU_SIZE, .unit = "bytes", .min = lo, .max = hi, .default_text = def, .offset = AT(f), .help = text}
#define SIZE32(p, f, lo, hi, def, text) {.path = p, .type = STRATA_GPU_SIZE32, .unit = "bytes", .min = lo, .max = hi, .default_text = def, .offset = AT(f), .help = text}
#define REAL(p, f, u, lo, hi, def, text) {.path = p, .type = STRATA_GPU_DOUBLE, .unit = u, .min = lo, .max = hi, .default_text = def, .offset = AT(f), .help = text}
#define BOOL(p, f, def, text) {.path = p, .type = STRATA_GPU_BOOL, .unit = "", .max = 1, .default_text = def, .offset = AT(f), .help = text}
#define ENUM(p, f, list, def, text) {.path = p, .type = STRATA_GPU_ENUM, .unit = "", .names = list, .default_text = def, .offset = AT(f), .help = text}
#define TEXT(p, f, text) {.path = p, .type = STRATA_GPU_STRING, .unit = "", .default_text = "", .offset = AT(f), .capacity = sizeof(((struct strata_gpu *)0)->f), .help = text}
#define LIST(p, kind, f, n, u, lo, hi, text) {.path = p, .type = kind, .unit = u, .min = lo, .max = hi, .default_text = "", .offset = AT(f), .count_offset = AT(n), .capacity = sizeof(((struct strata_gpu *)0)->f) / sizeof(((struct strata_gpu *)0)->f[0]), .help = text}
/* The twelve or so keys every functional cache has. */
#define CACHE(p, f, dsize, dline, dsector, dways, what)                                                             \
    SIZE(p ".size", f.size_bytes, 0, 1e12, dsize, "capacity of " what),                                            \
    SIZE32(p ".line", f.line_bytes, 16, 1 << 30, dline, "line size of " what " (the unit of its tags)"),           \
    SIZE32(p ".sector", f.sector_bytes, 4, 1 << 30, dsector, "part of a line that is fetched alone; = line if not sectored"), \
    UINT(p ".ways", f.ways, "", 0, 1 << 20, dways, "lines per set; 0: fully associative"),                         \
    ENUM(p ".index", f.index_hash, index_names, "linear", "how the set is computed from the address"),            \
    LIST(p ".index_bits", STRATA_GPU_UINTS, f.index_bits, f.n_index_bits, "", 0, 63, "address bits that form the set number, lowest first (index: bits)"), \
    ENUM(p ".replacement", f.replacement, replacement_names, "lru", "which line of a full set leaves"),           \
    LIST(p ".way_weight", STRATA_GPU_DOUBLES, f.way_weight, f.n_way_weight, "", 0, 1, "probability of each way as the victim (replacement: weighted)"), \
    LIST(p ".set_ways", STRATA_GPU_UINTS, f.set_ways, f.n_set_ways, "", 1, 4096, "ways of each set where sets are unequal; then `ways` is not used")
#define CYCLES(p, f, def, text) UINT(p, f, "cycles", 0, 1e6, def, text)

/* In the order of the enums in <strata/gpu.h>. */
static const char *const coalesce_names[] = {"fermi", "sector", "octet", NULL};
static const char *const bank_names[] = {"4-byte", "8-byte", NULL};
static const char *const scheduler_names[] = {"lrr", "gto", "oldest", "gty", "lrr-stores", "oldest-block", NULL};
static const char *const replacement_names[] = {"lru", "fifo", "random", "plru", "weighted", "nru", "not-mru", "srrip", "aged", NULL};
static const char *const index_names[] = {"linear", "xor", "fermi", "ipoly", "mix", "bits", "scatter", "deal", NULL};
static const char *const allocate_names[] = {"on-miss", "on-fill", "streaming", NULL};
static const char *const write_names[] = {"through-no-allocate", "through-allocate", "evict", "back", NULL};
static const char *const write_miss_names[] = {"fetch-on-write", "write-validate", "lazy-fetch-on-read", NULL};
static const char *const carveout_names[] = {"double", "least", "most", NULL};
static const char *const channel_names[] = {"none", "xor", "ipoly", "mix", NULL};
static const char *const copies_names[] = {"keep", "free-places", "drop", NULL};
static const char *const dram_sched_names[] = {"fcfs", "frfcfs", NULL};

static const struct strata_gpu_key keys[] = {
    TEXT("name", name, "name of the description; the file's name if left out"),
    TEXT("description", description, "one line for `strata gpu list`"),
    TEXT("class", evidence, "what the numbers rest on: measured here, checked against public counters, or from documents"),
    NEEDED("sm_version", sm_version, "", 10, 999, "0", "compute capability times ten: 90 for sm_90"),

    NEEDED("sm.count", sm.count, "", 1, STRATA_MAX_SMS, "1", "streaming multiprocessors that are switched on"),
    NEEDED("sm.clock", sm.clock_mhz, "MHz", 1, 100000, "1000", "clock of the SMs; all latencies are in its cycles"),
    UINT("sm.warp_size", sm.warp_size, "", 32, 32, "32", "threads in a warp"),
    UINT("sm.max_warps", sm.max_warps, "", 1, 256, "64", "warps that may be resident on one SM"),
    UINT("sm.max_blocks", sm.max_blocks, "", 1, 256, "32", "thread blocks that may be resident on one SM"),
    UINT("sm.max_threads", sm.max_threads, "", 32, 8192, "2048", "threads that may be resident on one SM"),
    UINT("sm.registers", sm.registers, "", 1024, 1 << 24, "65536", "32-bit registers of one SM"),
    UINT("sm.register_alloc_unit", sm.register_alloc_unit, "", 1, 65536, "256", "registers are given to a warp in multiples of this"),
    UINT("sm.max_registers_per_thread", sm.max_registers_per_thread, "", 1, 1024, "255", "most registers one thread can have"),
    UINT("sm.warp_alloc_granularity", sm.warp_alloc_granularity, "", 1, 32, "4", "the warps of a block are rounded up to a multiple of this"),
    UINT("sm.schedulers", sm.schedulers, "", 1, 16, "4", "warp schedulers of one SM"),
    ENUM("sm.scheduler_policy", sm.scheduler_policy, scheduler_names, "lrr", "which ready warp a scheduler takes; lrr-stores: by turns, but it goes on with one that has stored while that stores on; oldest-block: likewise among the warps of the oldest block"),
    UINT("sm.issue_per_scheduler", sm.issue_per_scheduler, "", 1, 8, "1", "instructions a scheduler issues a cycle"),
    CYCLES("sm.min_issue_gap", sm.min_issue_gap_cycles, "2", "between two instructions of one warp, at least"),
    CYCLES("sm.hold_wide", sm.hold_wide_cycles, "0", "cycles besides its own that a product of 64 bits keeps its scheduler from issuing; its stall count begins behind them"),
    UINT("sm.block_step", sm.block_step, "", 0, 16, "0", "schedulers by which the warps of an SM's next block begin later than those of the one before, where the warps of a block are a multiple of sm.schedulers"),
    CYCLES("sm.operands", sm.operands_cycles, "0", "from the time the load/store unit takes an instruction until it has read its operands; 0: sm.latency.int"),
    SIZE32("sm.instruction_bytes", sm.instruction_bytes, 0, 64, "16", "size of one machine instruction; 0: fetch is not modelled"),
    SIZE32("sm.const_fetch", sm.const_fetch_bytes, 0, 4096, "0", "constants that loads name come from memory in blocks of this size; 0: they are not counted"),
    SIZE32("sm.const_cache", sm.const_cache_bytes, 0, 65536, "0", "an SM's cache of constants; 0: all are found in it"),
    SIZE32("sm.const_cache_line", sm.const_cache_line_bytes, 4, 4096, "64", "line of that cache"),
    SIZE32("sm.const_uniform", sm.const_uniform_bytes, 0, 65536, "0", "constants at hand for loads to uniform registers, in lines of sm.const_cache_line; 0: those loads ask sm.const_cache"),
    UINT("sm.const_cache_ways", sm.const_cache_ways, "", 1, 64, "8", "lines of a set of that cache"),
    SIZE32("sm.fetch_line", sm.fetch_line_bytes, 0, 4096, "128", "instructions arrive in lines of this size"),
    CYCLES("sm.fetch_interval", sm.fetch_interval_cycles, "0", "between two lines of straight code not fetched before"),
    CYCLES("sm.fetch_miss", sm.fetch_miss_cycles, "0", "a jump to a line this SM has not fetched but another has; 0: free"),
    CYCLES("sm.fetch_cold", sm.fetch_cold_cycles, "0", "a jump to a line no SM has fetched; 0: free"),
    SIZE("sm.fetch_near", sm.fetch_near_bytes, 0, 1e9, "0", "cache of instructions that issue without waiting; 0: no limit"),
    SIZE("sm.fetch_middle", sm.fetch_middle_bytes, 0, 1e9, "0", "cache of instructions behind it, whose lines come at sm.fetch_interval; 0: no limit"),
    SIZE("sm.fetch_prefetch", sm.fetch_prefetch_bytes, 0, 1e9, "0", "code that a launch brings in by itself, line after line; 0: none"),
    CYCLES("sm.fetch_first", sm.fetch_first_cycles, "0", "the first line of such code, and the first parameter; 0: as sm.fetch_cold"),
    CYCLES("sm.fetch_early", sm.fetch_early_cycles, "0", "a jump to another line of such code that this SM has not fetched"),
    REAL("sm.fetch_early_line", sm.fetch_early_line_cycles, "cycles", 0, 1e6, "0", "between two lines of such code, from the first block on; a jump waits for its line"),
    CYCLES("sm.fetch_far", sm.fetch_far_cycles, "0", "between two lines of code that neither cache holds any more"),
    CYCLES("sm.fetch_stream", sm.fetch_stream_cycles, "0", "between two lines of straight code beyond sm.fetch_prefetch that no SM has fetched; at sm.fetch_far where another has; 0: both at sm.fetch_interval"),
    SIZE("sm.fetch_own", sm.fetch_own_bytes, 0, 65536, "0", "code that a scheduler has by itself, where jumps find it at once; 0: all of sm.fetch_near"),
    CYCLES("sm.fetch_jump", sm.fetch_jump_cycles, "0", "a jump to a line of sm.fetch_near that the scheduler does not have by itself"),
    CYCLES("sm.fetch_middle_jump", sm.fetch_middle_jump_cycles, "0", "a jump to a line of sm.fetch_middle; 0: sm.fetch_interval"),
    CYCLES("sm.fetch_early_next", sm.fetch_early_next_cycles, "0", "as sm.fetch_early, for all jumps of an SM but its first, where the code has control codes; 0: the same"),
    UINT("sm.fetch_ways", sm.fetch_ways, "ways", 0, 64, "0", "of sm.fetch_near and sm.fetch_middle; 0: a line may be anywhere"),
    UINT("sm.fetch_ahead", sm.fetch_ahead_lines, "lines", 1, 64, "8", "lines of straight code that are asked for before they are needed"),
    REAL("sm.barrier_block", sm.barrier_block_cycles, "cycles", 0, 1000, "0", "between the last warp of a block that leaves a barrier and the first of another block of the SM"),
    REAL("sm.barrier_warp", sm.barrier_warp_cycles, "cycles", 0, 1000, "0", "a barrier takes this much more for each warp of the block"),
    CYCLES("sm.lsu_queue", sm.lsu_queue_cycles, "0", "work the load/store unit accepts ahead; 0: any amount"),
    SIZE("sm.local_base", sm.local_base_bytes, 0, 1e18, "65536GiB", "address where the local memory of warps begins, as the caches see it"),
    SIZE("sm.local_warp", sm.local_warp_bytes, 128, 1e12, "50KiB", "from the local memory of a warp slot to that of the next"),
    CYCLES("sm.latency.int", sm.latency_int_cycles, "4", "integer and logic, issue to dependent issue"),
    CYCLES("sm.latency.imad", sm.latency_imad_cycles, "4", "integer multiply-add"),
    CYCLES("sm.latency.fp32", sm.latency_fp32_cycles, "4", "single precision"),
    CYCLES("sm.latency.fp64", sm.latency_fp64_cycles, "8", "double precision"),
    CYCLES("sm.latency.fp16", sm.latency_fp16_cycles, "4", "half precision"),
    CYCLES("sm.latency.sfu", sm.latency_sfu_cycles, "20", "special functions"),
    CYCLES("sm.latency.conv", sm.latency_conv_cycles, "14", "conversions between number formats"),
    CYCLES("sm.latency.tensor", sm.latency_tensor_cycles, "32", "matrix instructions"),
    CYCLES("sm.latency.uniform", sm.latency_uniform_cycles, "4", "uniform datapath"),
    CYCLES("sm.latency.sreg", sm.latency_sreg_cycles, "20", "reads of special registers (S2R)"),
    CYCLES("sm.latency.sreg_uniform", sm.latency_sreg_uniform_cycles, "0", "the same into uniform registers (S2UR); 0: as S2R"),
    CYCLES("sm.latency.const", sm.latency_const_cycles, "30", "constant loads that hit"),
    CYCLES("sm.latency.const_own", sm.const_own_cycles, "0", "a load of constants that the program declares and sm.const_cache has; 0: as sm.latency.const"),
    CYCLES("sm.latency.const_miss", sm.const_miss_cycles, "0", "more for a line of constants that sm.const_cache lacks; missing lines of an SM come one after another"),
    CYCLES("sm.latency.const_uniform_miss", sm.const_uniform_miss_cycles, "0", "a load to a uniform register is held for a line that sm.const_uniform lacks"),
    CYCLES("sm.latency.const_cold", sm.const_cold_cycles, "0", "more again for one of a block (sm.const_fetch) that no load of the SM has named before"),
    CYCLES("sm.latency.const_address", sm.const_address_cycles, "0", "more for each further address of one load of constants"),
    CYCLES("sm.latency.shuffle", sm.latency_shuffle_cycles, "24", "shuffles"),
    CYCLES("sm.latency.vote", sm.latency_vote_cycles, "10", "votes and matches"),
    CYCLES("sm.latency.branch", sm.latency_branch_cycles, "10", "branch to the next instruction of the warp"),
    CYCLES("sm.latency.return", sm.latency_return_cycles, "0", "return from a function to the next instruction of the warp; 0: as a branch"),
    CYCLES("sm.latency.break", sm.latency_break_cycles, "0", "lanes that leave a place where paths join to the next instruction of the warp; 0: as a branch"),
    CYCLES("sm.latency.converge", sm.latency_converge_cycles, "0", "paths that join to the next instruction of the warp; 0: as a branch"),
    CYCLES("sm.latency.redux", sm.latency_redux_cycles, "0", "reductions over a warp; 0: as votes"),
    CYCLES("sm.latency.match", sm.latency_match_cycles, "0", "lanes of equal value; 0: as votes"),
    CYCLES("sm.latency.barrier", sm.latency_barrier_cycles, "20", "last arrival to release"),
    CYCLES("sm.latency.wgmma", sm.wgmma_latency_cycles, "64", "end of a warpgroup's product to the end of a wait for it"),
    CYCLES("sm.latency.mbarrier", sm.mbarrier_latency_cycles, "50", "last arrival at a barrier in shared memory to the warps that wait"),
    CYCLES("sm.latency.cluster", sm.cluster_latency_cycles, "180", "the same for the barrier of a cluster"),
    CYCLES("sm.latency.remote", sm.remote_latency_cycles, "200", "to the shared memory of another block of the cluster"),
    CYCLES("sm.latency.tma_issue", sm.tma_issue_cycles, "100", "a bulk copy to its first request"),
    CYCLES("sm.latency.tma_complete", sm.tma_complete_cycles, "100", "the last data of a bulk copy to its barrier"),
    CYCLES("sm.latency.tma_multicast", sm.tma_multicast_cycles, "0", "more for a bulk copy to several blocks of a cluster"),
    CYCLES("sm.latency.fence", sm.fence_cycles, "0", "a fence for more than the block, with nothing under way"),
    UINT("sm.tensor_clock", sm.tensor_clock_mhz, "MHz", 0, 100000, "0", "clock of the SMs once tensor cores of sm.tensor_clock_sms SMs have worked; 0: sm.clock"),
    UINT("sm.tensor_clock_sms", sm.tensor_clock_sms, "", 1, 1 << 20, "1", "SMs whose tensor cores have to work for sm.tensor_clock"),
    UINT("sm.wgmma_queue", sm.wgmma_queue, "", 0, 32, "0", "products of warpgroups that a tensor core has taken, the one it works on among them, before the next waits at issue; 0: 32"),
    REAL("sm.wgmma_hold", sm.wgmma_hold_cycles, "cycles", 0, 64, "0", "besides its own, that an instruction that works on registers keeps its scheduler while the tensor core multiplies for a warpgroup"),
    REAL("sm.wgmma_spread", sm.wgmma_spread, "", 0, 1, "0", "share of wgmma_hold by which blocks differ at most, each by chance"),
    REAL("sm.wgmma_columns", sm.wgmma_columns_per_cycle, "1/cycle", 0, 1024, "2", "columns of a warpgroup's product per cycle, 64 rows and 32 bytes of K; 0: no limit"),
    REAL("sm.tma_bytes", sm.tma_bytes_per_cycle, "1/cycle", 0, 4096, "112", "bytes a cycle that bulk copies bring into an SM; 0: no limit"),
    REAL("sm.tma_lines", sm.tma_lines_per_cycle, "1/cycle", 0, 64, "1", "lines a bulk copy asks for per cycle; 0: no limit"),
    CYCLES("sm.interval.int", sm.interval_int_cycles, "2", "cycles a scheduler's unit is taken by one warp instruction"),
    CYCLES("sm.interval.imad", sm.interval_imad_cycles, "2", "likewise, integer multiply-add"),
    CYCLES("sm.interval.fp32", sm.interval_fp32_cycles, "1", "likewise, single precision"),
    CYCLES("sm.interval.fp64", sm.interval_fp64_cycles, "2", "likewise, double precision"),
    CYCLES("sm.interval.fp16", sm.interval_fp16_cycles, "1", "likewise, half precision"),
    CYCLES("sm.interval.sfu", sm.interval_sfu_cycles, "8", "likewise, special functions"),
    CYCLES("sm.interval.conv", sm.interval_conv_cycles, "8", "likewise, conversions"),
    CYCLES("sm.interval.tensor", sm.interval_tensor_cycles, "2", "likewise, matrix instructions"),
    CYCLES("sm.interval.tensor_int", sm.interval_tensor_int_cycles, "0", "likewise, of whole numbers; 0: sm.interval.tensor"),
    CYCLES("sm.interval.tensor_fp64", sm.interval_tensor_fp64_cycles, "0", "likewise, of doubles; 0: sm.interval.tensor"),
    CYCLES("sm.interval.const", sm.interval_const_cycles, "0", "cycles between two addresses of loads of constants of an SM, all schedulers together"),
    CYCLES("sm.interval.branch", sm.interval_branch_cycles, "1", "likewise, branches and what parts and joins a warp"),
    CYCLES("sm.interval.break", sm.interval_break_cycles, "0", "likewise, lanes that leave a place where paths join; 0: as a branch"),
    CYCLES("sm.interval.uniform", sm.interval_uniform_cycles, "2", "likewise, uniform datapath"),

    UINT("launch.gpcs", launch.gpcs, "", 0, 64, "0", "graphics processing clusters; 0: not known"),
    LIST("launch.order", STRATA_GPU_UINTS, launch.order, launch.n_order, "", 0, STRATA_MAX_SMS - 1, "SMs in the order in which the first wave of blocks is dealt; empty: by number"),
    UINT("launch.singles", launch.singles, "", 0, STRATA_MAX_SMS, "0", "SMs at the head of launch.order that belong to no full cluster and are dealt apart"),
    LIST("launch.gpc_of_sm", STRATA_GPU_UINTS, launch.gpc_of_sm, launch.n_gpc_of_sm, "", 0, 63, "the cluster of each SM, by SM number; empty: pairs of SMs by turns"),
    CYCLES("launch.start", launch.launch_cycles, "0", "from the start of the measured time to the first block"),
    CYCLES("launch.drain", launch.drain_cycles, "0", "from the last exit to the end of the measured time"),
    REAL("launch.drain_sm", launch.drain_sm_cycles, "cycles", 0, 1000, "0", "besides launch.drain, for each SM that has run blocks"),
    REAL("launch.drain_warp", launch.drain_warp_cycles, "cycles", 0, 1000, "0", "besides, for each warp of the launch, of as many as the GPU holds"),
    CYCLES("launch.block_replace", launch.block_replace_cycles, "0", "a freed slot takes the next block after this"),
    CYCLES("launch.next_warp", launch.next_warp_cycles, "0", "from one warp of a block that takes a freed slot to the next"),
    CYCLES("launch.block_interval", launch.block_interval_cycles, "0", "between two blocks the dispatcher hands out"),
    UINT("launch.dram_sectors", launch.dram_sectors, "", 0, 1e6, "0", "sectors read from DRAM once a launch, besides code and data"),
    UINT("launch.code_readers", launch.code_readers, "", 0, 64, "0", "clusters of SMs that read code and launch.dram_sectors from the L2, each by itself; 0: these reads are not counted"),
    UINT("launch.reader_sectors", launch.reader_sectors, "", 0, 1e6, "0", "sectors that each of launch.code_readers reads besides, and that the L2 holds already"),
    UINT("launch.front_sectors", launch.front_sectors, "", 0, 1e6, "0", "sectors that others than SMs read from the L2 once a launch"),
    REAL("launch.background_every", launch.background_every_us, "us", 0, 1e9, "0", "the card moves data of its own so often, whatever runs; 0: never"),
    UINT("launch.background_dram_reads", launch.background_dram_reads, "", 0, 1e6, "0", "sectors read from DRAM each time"),
    UINT("launch.background_dram_writes", launch.background_dram_writes, "", 0, 1e6, "0", "sectors written to DRAM each time"),
    UINT("launch.background_l2_reads", launch.background_l2_reads, "", 0, 1e6, "0", "sectors read from the L2 each time"),
    UINT("launch.background_l2_writes", launch.background_l2_writes, "", 0, 1e6, "0", "sectors written to the L2 each time"),
    REAL("launch.blocks_per_cycle", launch.blocks_per_cycle, "", 0, 1000, "0", "how fast the dispatcher hands out blocks, and notes that they have ended; 0: no limit"),
    CYCLES("launch.first_block", launch.first_block_cycles, "0", "first wave: between two blocks of one SM at least; 0: as every other block"),
    CYCLES("launch.first_warp", launch.first_warp_cycles, "0", "first wave: between two blocks of one SM, for each warp of a block"),
    REAL("launch.schedulers_apart", launch.schedulers_apart, "cycles", 0, 1000, "0", "between the first instructions of two schedulers of an SM, for each SM of its GPC that begins; misses of different warps may join before an SM's first answer then"),

    ENUM("coalesce.rule", coalesce.rule, coalesce_names, "sector", "how a warp's addresses become requests"),

    UINT("shared.banks", shared.banks, "", 1, 128, "32", "shared-memory banks"),
    ENUM("shared.bank_mode", shared.bank_mode, bank_names, "4-byte", "width of a bank"),
    CYCLES("shared.latency", shared.latency_cycles, "29", "load to use, no conflict"),
    CYCLES("shared.access", shared.access_cycles, "1", "the load/store unit is taken by an access at least this long"),
    CYCLES("shared.pass", shared.pass_cycles, "2", "more for each pass over the banks beyond the first"),
    UINT("shared.bytes_per_cycle", shared.bytes_per_cycle, "bytes/cycle", 0, 4096, "128", "peak throughput of one SM"),
    SIZE("shared.per_sm", shared.per_sm_bytes, 0, 1 << 24, "64KiB", "most shared memory the blocks of one SM may use together"),
    SIZE("shared.per_block", shared.per_block_bytes, 0, 1 << 24, "48KiB", "most for one block without opting in"),
    SIZE("shared.per_block_optin", shared.per_block_optin_bytes, 0, 1 << 24, "48KiB", "most for one block that opts in"),
    SIZE32("shared.per_block_reserved", shared.per_block_reserved_bytes, 0, 65536, "0", "taken by the system from every block"),
    SIZE32("shared.alloc_unit", shared.alloc_unit_bytes, 1, 65536, "128", "a block's shared memory is rounded up to a multiple of this"),

    BOOL("l1.enabled", l1.enabled, "true", "whether global loads go through the L1"),
    CACHE("l1", l1.cache, "16KiB", "128", "128", "4", "the L1 of one SM (without a carve-out table, else the largest)"),
    SIZE("l1.unified", l1.unified_bytes, 0, 1 << 24, "0", "memory that L1 and shared memory divide; 0: they are apart"),
    LIST("l1.carveouts", STRATA_GPU_SIZES, l1.carveout_bytes, l1.n_carveout, "bytes", 0, 1 << 24, "sizes that shared memory can take of it, ascending"),
    ENUM("l1.carveout_rule", l1.carveout_rule, carveout_names, "double", "how the driver chooses the carve-out: room for twice the blocks that fit, for just those, or the most"),
    ENUM("l1.allocate", l1.allocate, allocate_names, "on-miss", "when a line is reserved for a miss"),
    ENUM("l1.write_policy", l1.write_policy, write_names, "through-no-allocate", "what a store does in the L1"),
    ENUM("l1.write_miss", l1.write_miss, write_miss_names, "write-validate", "whether a read finds the bytes that stores left in a sector (write-validate) or fetches it all the same (lazy-fetch-on-read)"),
    UINT("l1.banks", l1.banks, "", 0, 64, "0", "banks of lines: those of one bank are looked up one after another; 0: any lines together"),
    UINT("l1.mshrs", l1.mshrs, "", 0, 65536, "0", "misses in flight; 0: no limit"),
    UINT("l1.mshr_merges", l1.mshr_merges, "", 0, 65536, "0", "requests that may wait for one miss; 0: no limit"),
    UINT("l1.mshrs_per_warp", l1.mshrs_per_warp, "", 0, 65536, "0", "misses in flight of one warp; 0: no limit"),
    CYCLES("l1.hit", l1.hit_cycles, "34", "load to use on a hit"),
    CYCLES("l1.pass", l1.pass_cycles, "0", "more for each further pass over the data banks of a load that the L1 answers"),
    LIST("l1.tag_banks", STRATA_GPU_UINTS, l1.tag_banks, l1.n_tag_banks, "", 0, 4294967295.0, "line-number bits whose parity is a bit of the number of the tags' bank; l1.tags_per_cycle is that of all banks; empty: any lines together"),
    CYCLES("l1.texture_read", l1.texture_read_cycles, "0", "an SM's texture unit is taken by a warp's read, twice as long by texels of 16 bytes; 0: reads of textures are loads"),
    CYCLES("l1.texture_line", l1.texture_line_cycles, "0", "likewise, reads by one whole coordinate"),
    CYCLES("l1.texture_hit", l1.texture_hit_cycles, "0", "load to use of a texture's read that hits; what misses comes as much later than a load's; 0: as a load"),
    CYCLES("l1.texture_line_hit", l1.texture_line_hit_cycles, "0", "likewise, reads by one whole coordinate"),
    CYCLES("l1.texture_filter", l1.texture_filter_cycles, "0", "more for reads of a texture with a filter that mixes texels"),
    UINT("l1.texture_filter_bytes", l1.texture_filter_bytes, "bytes", 0, 16, "0", "of a lane's texel that a filter takes in one pass, with as many lanes a pass and as much longer where it has more; 0: no such limit"),
    UINT("l1.texture_pitched_sectors", l1.texture_pitched_sectors, "sectors", 0, 32, "0", "that a texture over pitched memory asks the L2 for with one request; 0: those of a line, as all others do"),
    UINT("l1.tags_per_cycle", l1.tags_per_cycle, "lines/cycle", 0, 64, "1", "lines looked up a cycle; 0: no limit"),
    UINT("l1.bytes_per_cycle", l1.bytes_per_cycle, "bytes/cycle", 0, 4096, "128", "data to the registers: a warp's instruction takes the load/store unit so long; 0: no limit"),
    BOOL("l1.inflight_counts_as_hit", l1.inflight_counts_as_hit, "false", "how the profiler counts an access to data still on its way"),
    BOOL("l1.tag_hit_counts_as_hit", l1.tag_hit_counts_as_hit, "false", "the profiler counts a sector that is not there as a hit where its line is"),
    BOOL("l1.store_counts_by_line", l1.store_counts_by_line, "false", "the profiler counts a stored sector as a hit where anything of its line is, whether the sector is there or not"),
    BOOL("l1.around_voids_line", l1.around_voids_line, "false", "a load that goes around the L1, or an atomic, leaves nothing of its line there, nor of what is on its way to it"),
    BOOL("l1.store_restarts_line", l1.store_restarts_line, "false", "a store to a line with sectors on their way begins the line anew: what arrives goes to those who wait for it and is not kept"),
    BOOL("l1.store_keeps_words", l1.store_keeps_words, "false", "of what a store writes the L1 keeps whole words: bytes of a word that was not there are fetched when they are read"),
    UINT("l1.tag_sets", l1.cache.tag_sets, "", 0, 65536, "0", "sets of tags that are apart from the data, a power of two (only with ways: 0); 0: none"),
    UINT("l1.tag_ways", l1.cache.tag_ways, "", 0, 64, "0", "lines that one of these sets can name; the least recently used one leaves"),
    LIST("l1.tag_hash", STRATA_GPU_UINTS, l1.cache.tag_hash, l1.cache.n_tag_hash, "", 0, 65535, "bits of the tag set that each line-number bit flips, from the first bit beyond the set number on"),
    UINT("l1.reserved_lines", l1.reserved_lines, "", 0, 65536, "0", "lines of the nominal size that never hold data"),
    UINT("l1.miss_requests_per_cycle", l1.miss_requests_per_cycle, "", 0, 64, "0", "line requests of one SM that leave for the L2; 0: no limit"),
    CYCLES("l1.miss_join", l1.miss_join_cycles, "0", "a line request waits for so many cycles, and for its turn; misses of its line that are looked up meanwhile join it, and it goes to the end of the queue; those of another warp only if loads were not in front of it for longer than a quarter of this and the SM has been answered before; 0: none join"),
    UINT("l1.miss_queue", l1.miss_queue_lines, "", 0, 31, "0", "line requests that wait so at a time; a further miss is looked up when there is room; 0: misses join no request"),
    UINT("l1.store_narrow", l1.store_narrow_places, "", 0, 16, "0", "lines of l1.store_buffer that one with stores of less than a word to one sector takes, and one less for each further sector; they meet no others; 0: as any"),
    UINT("l1.store_buffer", l1.store_buffer_lines, "", 0, 64, "0", "lines in which stores wait and merge before they leave; 0: each leaves at once"),
    UINT("l1.store_leaving", l1.store_leaving_lines, "", 0, 32, "0", "lines of stores that have left this buffer and are read out, flit by flit; a store to one of them begins its line anew, and what else was there of it is lost; 0: none are"),
    CYCLES("l1.store_idle", l1.store_idle_cycles, "0", "waiting stores leave when no store has touched their line for so many idle cycles of the load/store unit"),
    CYCLES("l1.store_wait", l1.store_wait_cycles, "100", "... or for so many cycles in all"),
    CYCLES("l1.store_drain", l1.store_drain_cycles, "0", "cycles of the load/store unit that a whole line of stores takes to leave"),
    CYCLES("l1.store", l1.store_cycles, "1", "the load/store unit is taken by one store instruction at least this long"),

    CYCLES("xbar.coalescer_window", xbar.request_coalescer_window_cycles, "0", "requests of neighbouring SMs for one line merge within this; 0: never"),
    UINT("xbar.coalescer_sms", xbar.request_coalescer_scope, "", 0, STRATA_MAX_SMS, "0", "SMs that share one request coalescer; 0: those of a GPC"),
    UINT("xbar.request_bytes_per_cycle", xbar.request_bytes_per_cycle_per_sm, "bytes/cycle", 0, 4096, "0", "from one SM, or from those that share a port; 0: no limit"),
    UINT("xbar.response_bytes_per_cycle", xbar.response_bytes_per_cycle_per_sm, "bytes/cycle", 0, 4096, "0", "to one SM; 0: no limit"),
    UINT("xbar.total_bytes_per_cycle", xbar.total_bytes_per_cycle, "bytes/cycle", 0, 1 << 20, "0", "of the whole crossbar, each way, per SM clock; 0: no limit"),
    SIZE32("xbar.flit", xbar.flit_bytes, 1, 1024, "32", "unit of transfer"),
    CYCLES("xbar.latency", xbar.latency_cycles, "0", "one way, without contention"),
    UINT("xbar.clock", xbar.clock_mhz, "MHz", 0, 100000, "0", "clock of the crossbar; 0: as the SMs"),
    CYCLES("xbar.coalescer_return", xbar.coalescer_return_cycles, "0", "a line stays open in the coalescer until its data is this far from the SM; 0: for the fixed window"),
    UINT("xbar.coalescer_lines", xbar.request_coalescer_lines, "", 0, 65536, "0", "lines one coalescer holds open; 0: any number"),
    UINT("xbar.coalescer_bulk_lines", xbar.coalescer_bulk_lines, "", 0, 65536, "0", "lines it holds open for bulk copies; 0: as xbar.coalescer_lines"),
    UINT("xbar.queue", xbar.queue, "", 0, 65536, "0", "requests that wait in front of one slice of the L2, and of one SM in the crossbar, before the SM is held up; 0: any number"),
    UINT("xbar.coalescer_requests", xbar.request_coalescer_requests, "", 0, 65536, "0", "requests that share one answer; 0: any number"),
    BOOL("xbar.coalescer_side", xbar.coalescer_side, "false", "nor if an SM of another group on the same side of the L2 asks for them"),
    BOOL("xbar.coalescer_one_part", xbar.coalescer_one_part, "false", "a line on its way merges with nobody any more once other sectors of it are asked for"),
    UINT("xbar.port_atomics", xbar.port_atomics, "", 0, 4096, "0", "atomics of every SM that may wait for a slice of the L2 before the load/store unit is held up; 0: any number"),
    CYCLES("xbar.port_buffer", xbar.port_buffer_cycles, "64", "stores and atomics that wait for the port of an SM before the load/store unit is held up"),
    UINT("xbar.port_sms", xbar.port_sms, "", 1, STRATA_MAX_SMS, "1", "neighbouring SMs that share one port for stores and atomics"),
    UINT("xbar.head", xbar.head_flits, "flits", 0, 16, "1", "head of a packet of stores; whole sectors behind one another hide it"),
    REAL("xbar.way", xbar.way_share, "", 0, 0.5, "0.4", "one way through the crossbar as a share of l2.hit, where xbar.latency is 0"),
    REAL("xbar.host_store", xbar.host_store_cycles, "cycles", 0, 10000, "0", "from one sector that is stored to memory of the host to the next, of all SMs together; 0: as if it were the card's"),
    CYCLES("xbar.host_atomic", xbar.host_atomic_cycles, "0", "that an atomic on memory of the host takes longer than one on the card's"),
    CYCLES("xbar.host_atomic_interval", xbar.host_atomic_interval_cycles, "0", "from one atomic to the next on one line of the host's memory"),
    UINT("xbar.host_lane_sectors", xbar.host_lane_sectors, "", 0, 1000, "0", "sectors read from DRAM once a launch for each lane of a warp but one that stores to memory of the host"),

    UINT("l2.slices", l2.slices, "", 1, 1024, "1", "independent slices of the L2"),
    UINT("l2.partitions", l2.partitions, "", 1, 16, "1", "partitions with a link between them"),
    CACHE("l2", l2.cache, "1MiB", "128", "32", "16", "the whole L2"),
    SIZE("l2.effective", l2.effective_bytes, 0, 1e12, "0", "what one SM's data can occupy when partitions keep copies; 0: all of it"),
    ENUM("l2.write_miss", l2.write_miss, write_miss_names, "write-validate", "what a write does to a sector that is not there"),
    ENUM("l2.channel_hash", l2.channel_hash, channel_names, "none", "how addresses are spread over the slices"),
    SIZE32("l2.slice_pair", l2.slice_pair_bytes, 0, 1 << 20, "0", "bytes that two slices take in turn, a quarter each time; 0: l2.channel_hash spreads lines"),
    SIZE32("l2.fetch", l2.fetch_bytes, 4, 4096, "32", "granularity of a fetch from DRAM"),
    CYCLES("l2.hit", l2.hit_cycles, "200", "load to use on a hit as an SM sees it, near partition"),
    CYCLES("l2.far_extra", l2.far_extra_cycles, "0", "more for the far partition"),
    UINT("l2.bytes_per_cycle_per_slice", l2.bytes_per_cycle_per_slice, "bytes/cycle", 0, 4096, "32", "data out of one slice; 0: no limit"),
    REAL("l2.fabric_head", l2.fabric_head, "sectors", 0, 64, "0", "a request or write over the link takes as long as so many sectors more"),
    UINT("l2.fabric_bytes_per_cycle", l2.fabric_bytes_per_cycle, "bytes/cycle", 0, 1 << 20, "0", "link between the partitions, each way; 0: no limit"),
    REAL("l2.request", l2.request_cycles, "cycles", 0, 10000, "0", "a slice is busy with one request at least this long"),
    REAL("l2.mask_flit", l2.mask_flit_cycles, "cycles", 0, 10000, "0", "what a write of one sector takes besides, of which bytes are missing; 0: l2.write_flit, as where it has more sectors"),
    REAL("l2.write_flit", l2.write_flit_cycles, "cycles", 0, 10000, "0", "slices take requests in by flits: the head of a read or write, each sector written, and one more where bytes of a sector are missing; 0: a write takes the time of a read"),
    REAL("l2.overtaken", l2.overtaken_cycles, "cycles", 0, 10000, "0", "a slice is busy so much longer with a write of parts of sectors that are on their way from DRAM: a load came before it"),
    REAL("l2.overtaken_sector", l2.overtaken_sector_cycles, "cycles", 0, 10000, "0", "and for each of these sectors"),
    REAL("l2.clean_hold", l2.clean_hold_cycles, "cycles", 0, 10000, "0", "a way into a slice is held up so long by a write in part that finds its line in part already and has a line of its set leave (l2.partial_ways_hit); of use with l2.write_flit"),
    REAL("l2.partial_fill", l2.partial_fill_cycles, "cycles", 0, 10000, "0", "a slice is busy so much longer with each sector it reads from DRAM around bytes that were written"),
    REAL("l2.partial_write", l2.partial_write_cycles, "cycles", 0, 10000, "0", "a slice is busy so much longer with each sector written in part"),
    REAL("l2.atomic_float", l2.atomic_float_cycles, "cycles", 0, 10000, "0", "between two additions of floating-point numbers to one sector; 0: as any"),
    REAL("l2.atomic_whole", l2.atomic_whole_cycles, "cycles", 0, 10000, "0", "an atomic on all words of a sector; 0: as any"),
    BOOL("l2.copies_void", l2.copies_void, "false", "a store voids the copies of its line but the one it passes, an atomic all"),
    REAL("l2.atomic", l2.atomic_cycles, "cycles", 0, 10000, "1", "a slice is busy with one atomic sector"),
    UINT("l2.mshrs", l2.mshrs, "", 0, 65536, "0", "misses in flight of one slice; 0: no limit"),
    UINT("l2.mshr_merges", l2.mshr_merges, "", 0, 65536, "0", "requests that may wait for one miss; 0: no limit"),
    UINT("l2.clock", l2.clock_mhz, "MHz", 0, 100000, "0", "clock of the L2; 0: as the SMs"),
    SIZE("l2.persisting_max", l2.persisting_max_bytes, 0, 1e12, "0", "the most that a program may set aside of the L2 for persisting lines; 0: none"),
    SIZE("l2.window_max", l2.window_max_bytes, 0, 1e12, "0", "the largest access policy window; 0: none"),
    UINT("l2.window_steps", l2.window_steps, "", 0, 1024, "0", "a window's hit ratio goes in so many steps, to the next one above it; 0: as it is"),
    BOOL("l2.fill_on_memcpy", l2.fill_on_memcpy, "false", "copies from the host leave their data in the L2"),
    SIZE32("l2.home", l2.home_bytes, 0, 1 << 30, "4KiB", "the home partition of addresses changes in blocks of this size"),
    LIST("l2.partition_of_gpc", STRATA_GPU_UINTS, l2.partition_of_gpc, l2.n_partition_of_gpc, "", 0, 15, "partition that each GPC is attached to"),
    SIZE("l2.prefetch", l2.prefetch_bytes, 0, 1e12, "0", "a read from DRAM brings so many bytes behind it too; only for `strata dissect`"),
    LIST("l2.home_bits", STRATA_GPU_UINTS, l2.home_bits, l2.n_home_bits, "", 0, 62, "address bits whose exclusive or is the home partition of two; without them blocks of l2.home are scattered"),
    SIZE("l2.dirty", l2.dirty_bytes, 0, 1e12, "0", "lines that may be dirty at a time; the oldest beyond are written back; 0: all the L2 holds"),
    UINT("l2.dirty_ways", l2.dirty_ways, "", 0, 1024, "0", "of them lines of one set, the program's own; one of a set beyond is written back; 0: all"),
    SIZE("l2.dirty_partial", l2.dirty_partial_bytes, 0, 1e12, "0", "of them lines with sectors written in part; 0: all"),
    SIZE("l2.dirty_at_start", l2.dirty_at_start_bytes, 0, 1e12, "0", "dirty lines of others in the L2 when a launch begins"),
    REAL("l2.dirty_at_start_ways", l2.dirty_at_start_ways, "", 0, 1, "0.25", "share of the ways that they take in the sets they are in"),
    UINT("l2.dirty_dealt", l2.dirty_dealt, "", 0, 255, "0", "of small sets that lines are dealt into by their numbers so many lines may be dirty, of 3 places 2, of 5 places 3, of 7 places 4; 0: no such limit"),
    CYCLES("l2.clean_wait", l2.clean_wait_cycles, "0", "how long lines that leave may wait for DRAM before the stores that make them leave wait; 0: stores never do"),
    UINT("l2.dirty_ahead", l2.dirty_ahead, "", 0, 255, "0", "dirty lines of a set that read hits write back after it had to give one up"),
    UINT("l2.partial_ways", l2.partial_ways, "", 0, 128, "0", "lines of one set with sectors written in part, dirty or copies; one of a set beyond is read whole and written back, or dropped if it is a copy; 0: all"),
    UINT("l2.partial_ways_hit", l2.partial_ways_hit, "", 0, 128, "0", "the same when a write in part finds its line in part already; of use with l2.partial_ways; 0: all"),

    SIZE("dram.capacity", dram.capacity_bytes, 1 << 20, 1e15, "16GiB", "device memory, as a traced program finds it"),
    UINT("dram.channels", dram.channels, "", 1, 1024, "1", "independent channels"),
    SIZE32("dram.interleave", dram.interleave_bytes, 128, 65536, "256", "blocks of this size lie in one channel, neighbouring ones in others; a power of two"),
    SIZE32("dram.bus", dram.bus_bytes, 1, 256, "8", "width of one channel"),
    UINT("dram.burst_length", dram.burst_length, "", 1, 64, "8", "transfers of one burst"),
    UINT("dram.clock", dram.clock_mhz, "MHz", 1, 100000, "1000", "command clock"),
    UINT("dram.data_rate", dram.data_rate, "", 1, 16, "2", "transfers per command clock"),
    CYCLES("dram.access", dram.access_cycles, "200", "more than an L2 hit, in SM cycles: row hit, no queue"),
    REAL("dram.write_row", dram.write_row, "", 1, 100, "1", "how many times as long a row that is opened for a write keeps the next one of its channel waiting as one for a read"),
    CYCLES("dram.row_miss", dram.row_miss_cycles, "0", "more than that for a row miss, in SM cycles"),
    REAL("dram.efficiency", dram.efficiency, "", 0.01, 1, "1", "share of the pins' bandwidth that a stream reaches"),
    UINT("dram.banks", dram.banks, "", 1, 1024, "16", "banks of one channel"),
    UINT("dram.bank_groups", dram.bank_groups, "", 1, 64, "4", "bank groups of one channel"),
    SIZE32("dram.row", dram.row_bytes, 64, 1 << 20, "2KiB", "bytes of an open row"),
    UINT("dram.tCCD", dram.tCCD, "clocks", 0, 10000, "1", "column to column, other bank group (all t... in command clocks)"),
    UINT("dram.tCCDL", dram.tCCDL, "clocks", 0, 10000, "2", "column to column, same bank group"),
    UINT("dram.tRRD", dram.tRRD, "clocks", 0, 10000, "3", "activate to activate, other bank"),
    UINT("dram.tRCD", dram.tRCD, "clocks", 0, 10000, "12", "activate to column"),
    UINT("dram.tRAS", dram.tRAS, "clocks", 0, 10000, "28", "activate to precharge"),
    UINT("dram.tRP", dram.tRP, "clocks", 0, 10000, "12", "precharge to activate"),
    UINT("dram.tRC", dram.tRC, "clocks", 0, 10000, "40", "activate to activate, same bank"),
    UINT("dram.tCL", dram.tCL, "clocks", 0, 10000, "12", "read to data"),
    UINT("dram.tWL", dram.tWL, "clocks", 0, 10000, "2", "write to data"),
    UINT("dram.tCDLR", dram.tCDLR, "clocks", 0, 10000, "3", "last write data to read"),
    UINT("dram.tWR", dram.tWR, "clocks", 0, 10000, "10", "last write data to precharge"),
    UINT("dram.tRTPL", dram.tRTPL, "clocks", 0, 10000, "3", "read to precharge, same bank group"),
    UINT("dram.tFAW", dram.tFAW, "clocks", 0, 10000, "0", "window of four activates; 0: none"),
    UINT("dram.tRFC", dram.tRFC, "clocks", 0, 1e6, "0", "length of a refresh; 0: no refresh"),
    UINT("dram.refresh_groups", dram.refresh_groups, "", 0, 1024, "0", "groups of channels that refresh together, one after the other; 0: each channel by itself"),
    SIZE32("dram.refresh_block", dram.refresh_block_bytes, 0, 1 << 30, "0", "addresses that are refreshed at a time of their own in each of dram.refresh_groups; 0: a refresh closes whole channels"),
    CYCLES("dram.refresh_bank", dram.refresh_bank_cycles, "0", "what is asked for of a block that is being refreshed waits for its end"),
    CYCLES("dram.refresh_every", dram.refresh_every_cycles, "0", "time between two refreshes of a block"),
    UINT("dram.tREFI", dram.tREFI, "clocks", 0, 1e6, "0", "between two refreshes; 0: no refresh"),
    BOOL("dram.dual_command_bus", dram.dual_command_bus, "false", "row and column commands in the same clock"),
    BOOL("dram.per_bank_refresh", dram.per_bank_refresh, "false", "a refresh stops one bank, not all"),
    BOOL("dram.separate_write_queue", dram.separate_write_queue, "false", "writes wait apart and are drained in batches"),
    BOOL("dram.bank_hash", dram.bank_hash, "false", "banks are hashed with row bits"),
    UINT("dram.read_queue", dram.read_queue, "", 0, 65536, "0", "entries; 0: no limit"),
    UINT("dram.write_queue", dram.write_queue, "", 0, 65536, "0", "entries; 0: no limit"),
    UINT("dram.write_high", dram.write_high, "", 0, 65536, "0", "writes that start a drain"),
    UINT("dram.write_low", dram.write_low, "", 0, 65536, "0", "writes that end a drain"),
    UINT("dram.write_room", dram.write_room, "", 0, 65536, "128", "clocked model: writes that wait at a channel before its slices take no more; 0: any number"),
    ENUM("dram.scheduler", dram.scheduler, dram_sched_names, "frfcfs", "order of service"),
    UINT("dram.age_limit", dram.age_limit, "clocks", 0, 1e6, "4096", "a request that has waited so long goes before younger ones for an open row (frfcfs); 0: never"),

    BOOL("tlb.enabled", tlb.enabled, "false", "whether address translation is modelled"),
    SIZE("tlb.page", tlb.page_bytes, 4096, 1e12, "2MiB", "page size"),
    CACHE("tlb.l1", tlb.l1, "32MiB", "2MiB", "2MiB", "0", "the reach of the first TLB"),
    CACHE("tlb.l2", tlb.l2, "128MiB", "2MiB", "2MiB", "0", "the reach of the second TLB"),
    CYCLES("tlb.l1_miss", tlb.l1_miss_cycles, "0", "more for a miss in the first TLB"),
    CYCLES("tlb.l2_miss", tlb.l2_miss_cycles, "0", "more for a miss in the second TLB"),
    CYCLES("tlb.cold", tlb.cold_cycles, "0", "more for the first walk of a page, whose entry is in no cache"),
    SIZE("tlb.active", tlb.active_bytes, 0, 1e15, "0", "pages of so many bytes, from the first one walked on, are active at once, 0: all"),
    CYCLES("tlb.switch", tlb.switch_cycles, "0", "more for the walk of a page that is not active"),
    BOOL("tlb.before_l1", tlb.before_l1, "false", "whether the L1 data cache is reached through the TLBs"),

    CACHE("texture", texture.cache, "0", "32", "32", "0", "the texture cache of one SM; 0: none"),
    CYCLES("texture.hit", texture.hit_cycles, "100", "load to use on a hit"),
    CACHE("readonly", readonly.cache, "0", "32", "32", "0", "the read-only data cache of one SM; 0: none"),
    CYCLES("readonly.hit", readonly.hit_cycles, "100", "load to use on a hit"),

    UINT("reuse.hit", reuse.hit_steps, "steps", 0, 1e6, "0", "latency of a hit in the reuse model, in turns of its warp queue"),
    UINT("reuse.miss", reuse.miss_steps, "steps", 0, 1e6, "100", "least latency of a miss in the reuse model"),
    REAL("reuse.miss_deviation", reuse.miss_deviation_steps, "steps", 0, 1e6, "5", "deviation of the half-normal part that is added to it"),
    ENUM("between.copies_in", between.copies_in, copies_names, "keep", "data that is copied from the host: keep it in the L2, put it into free places of it, or drop it"),
    SIZE("between.others_at_start", between.others_at_start, 0, 1e12, "0", "lines of others in the L2 when a program begins; copies do not replace them"),
    SIZE("between.copies_small", between.copies_small, 0, 1e12, "0", "copies up to this size are kept in any case"),
    BOOL("between.on_device_kept", between.on_device_kept, "true", "fills and copies on the device leave their data in the L2, as a kernel would"),
    BOOL("between.tlb", between.tlb, "true", "the second TLB keeps its pages from launch to launch"),
    REAL("between.stream_gap", between.stream_gap_us, "us", 0, 1e6, "1", "from the last block of a launch to the first of the next on its stream"),
    REAL("between.event_gap", between.event_gap_us, "us", 0, 1e6, "1.5", "the same to a launch on another stream that waits for it by an event"),
    REAL("between.graph_gap", between.graph_gap_us, "us", 0, 1e6, "1", "the same between nodes of a graph"),
    REAL("between.dependent_gap", between.dependent_gap_us, "us", 0, 1e6, "0.5", "the same with programmatic dependent launch"),
    REAL("between.engine_gap", between.engine_gap_us, "us", 0, 1e6, "1", "the same between a copy to or from the host and a launch"),
    REAL("between.host_launch", between.host_launch_us, "us", 0, 1e6, "2", "the host issues a launch in this time"),
    REAL("between.host_copy", between.host_copy_us, "us", 0, 1e6, "2", "the host issues a copy or fill in this time"),
    REAL("between.host_graph", between.host_graph_us, "us", 0, 1e6, "5", "the host issues a graph in this time"),
    REAL("between.host_wait", between.host_wait_us, "us", 0, 1e6, "5", "from the end of what the host waits for to its next launch's start"),
    REAL("between.copy_start", between.copy_start_us, "us", 0, 1e6, "1", "a copy takes so long besides its bytes"),
    REAL("between.fill_start", between.fill_start_us, "us", 0, 1e6, "1", "a fill takes so long besides its bytes"),
    REAL("between.host_to_device", between.host_to_device, "bytes/us", 0, 1e12, "25000", "rate of copies from the host; 0: no limit"),
    REAL("between.device_to_host", between.device_to_host, "bytes/us", 0, 1e12, "25000", "rate of copies to the host; 0: no limit"),
    REAL("between.on_device", between.on_device, "bytes/us", 0, 1e12, "0", "rate of copies on the device, bytes copied; 0: no limit"),
    REAL("between.fill", between.fill_rate, "bytes/us", 0, 1e12, "0", "rate of fills; 0: no limit"),
    UINT("interval.mshrs", interval.mshrs, "", 1, 65536, "128", "misses in flight of one SM that the interval model assumes where l1.mshrs is 0"),
};

/* clang-format on */

#define N_KEYS (sizeof keys / sizeof keys[0])
_Static_assert(N_KEYS <= STRATA_GPU_MAX_KEYS, "raise STRATA_GPU_MAX_KEYS");

size_t strata_gpu_n_keys(void)
{
    return N_KEYS;
}

const struct strata_gpu_key *strata_gpu_key(size_t i)
{
    return i < N_KEYS ? &keys[i] : NULL;
}

size_t strata_gpu_key_index(const char *path)
{
    for (size_t i = 0; i < N_KEYS; i++)
        if (!strcmp(keys[i].path, path))
            return i;
    return SIZE_MAX;
}

const struct strata_gpu_key *strata_gpu_find_key(const char *path)
{
    return strata_gpu_key(strata_gpu_key_index(path));
}

bool gpu_is_section(const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < N_KEYS; i++)
        if (!strncmp(keys[i].path, path, length) && keys[i].path[length] == '.')
            return true;
    return false;
}
