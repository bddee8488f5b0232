/* key_readers.c - which models read which keys of a GPU file.
 *
 * A description serves all models, and no model reads all of it. `strata gpu keys`
 * prints this table, --set and --vary warn by it, and t_key_readers changes every
 * key for every model and compares. */
#include <string.h>

#include <strata/result.h>

enum reader {
    NONE = 0,
    COALESCE = 1 << 0,
    REUSE = 1 << 1,
    INTERVAL = 1 << 2,
    LEARNED = 1 << 3,
    FLOW = 1 << 4,
    SIM = 1 << 5,
    DISSECT = 1 << 6,  /* not a model: `strata dissect` on a modelled GPU */
    TIMELINE = 1 << 7, /* nor this: launches one after another, `strata timeline` */
    ALL = COALESCE | REUSE | INTERVAL | LEARNED | FLOW | SIM
};

static const struct {
    const char *name;
    unsigned reader;
} names[] = {{"coalesce", COALESCE}, {"reuse", REUSE},      {"interval", INTERVAL},
             {"learned", LEARNED},   {"flow", FLOW},        {"sim", SIM},
             {"dissect", DISSECT},   {"timeline", TIMELINE}};

/* The first row whose text a key begins with. */
static const struct {
    const char *key;
    unsigned readers;
} rows[] = {
    {"sm_version", INTERVAL | FLOW | SIM},
    {"sm.count", ALL},
    {"sm.clock", REUSE | INTERVAL | LEARNED | FLOW | SIM},
    {"sm.warp_size", NONE},
    {"sm.max_registers_per_thread", NONE},
    {"sm.schedulers", REUSE | INTERVAL | LEARNED | FLOW | SIM},
    {"sm.scheduler_policy", INTERVAL | FLOW | SIM},
    {"sm.issue_per_scheduler", INTERVAL | FLOW | SIM},
    {"sm.min_issue_gap", FLOW | SIM},
    {"sm.instruction_bytes", REUSE | INTERVAL | FLOW | SIM},
    {"sm.fetch_line", REUSE | INTERVAL | FLOW | SIM},
    {"sm.fetch_miss", FLOW | SIM},
    {"sm.fetch_ahead", FLOW | SIM},
    {"sm.fetch_near", FLOW | SIM},
    {"sm.fetch_middle", FLOW | SIM},
    {"sm.fetch_prefetch", FLOW | SIM},
    {"sm.fetch_first", FLOW | SIM},
    {"sm.fetch_early", FLOW | SIM},
    {"sm.fetch_early_line", FLOW | SIM},
    {"sm.fetch_far", FLOW | SIM},
    {"sm.fetch_stream", FLOW | SIM},
    {"sm.local_", REUSE | FLOW | SIM},
    {"sm.fetch_", INTERVAL | FLOW | SIM},
    {"sm.barrier_warp", REUSE | INTERVAL | LEARNED | FLOW | SIM},
    {"sm.lsu_queue", FLOW | SIM},
    {"sm.latency.wgmma", FLOW | SIM},
    {"sm.latency.mbarrier", FLOW | SIM},
    {"sm.latency.cluster", FLOW | SIM},
    {"sm.latency.remote", FLOW | SIM},
    {"sm.latency.tma_", FLOW | SIM},
    {"sm.latency.fence", FLOW},
    {"sm.tensor_clock", FLOW},
    {"sm.tensor_clock_sms", FLOW},
    {"sm.wgmma_queue", FLOW},
    {"sm.wgmma_columns", FLOW | SIM},
    {"sm.tma_lines", FLOW | SIM},
    {"sm.tma_bytes", FLOW | SIM},
    {"sm.latency.branch", INTERVAL | FLOW | SIM},
    {"sm.latency.return", INTERVAL | FLOW | SIM},
    {"sm.latency.converge", INTERVAL | FLOW | SIM},
    {"sm.latency.const_address", FLOW | SIM},
    {"sm.latency.sreg_uniform", INTERVAL | FLOW | SIM},
    {"sm.latency.redux", REUSE | INTERVAL | FLOW | SIM},
    {"sm.latency.match", REUSE | INTERVAL | FLOW | SIM},
    {"sm.latency.", REUSE | INTERVAL | LEARNED | FLOW | SIM},
    {"sm.interval.const", FLOW | SIM},
    {"sm.interval.", INTERVAL | FLOW | SIM},
    {"sm.", ALL},
    {"launch.gpcs", NONE},
    {"launch.order", REUSE | INTERVAL | LEARNED | FLOW | SIM},
    {"launch.singles", REUSE | INTERVAL | LEARNED | FLOW | SIM},
    {"launch.gpc_of_sm", REUSE | INTERVAL | LEARNED | FLOW | SIM},
    {"launch.dram_sectors", REUSE | FLOW | SIM},
    {"launch.code_readers", REUSE | FLOW | SIM},
    {"launch.reader_sectors", REUSE | FLOW | SIM},
    {"launch.front_sectors", REUSE | FLOW | SIM},
    {"launch.first_", SIM},
    {"launch.block_replace", INTERVAL | LEARNED | FLOW | SIM},
    {"launch.block_interval", FLOW | SIM},
    {"launch.", INTERVAL | FLOW | SIM},
    {"coalesce.rule", ALL},
    {"shared.bytes_per_cycle", INTERVAL | FLOW | SIM | DISSECT},
    {"shared.per_sm", ALL},
    {"shared.per_block_reserved", ALL},
    {"shared.per_block", NONE},
    {"shared.alloc_unit", ALL},
    {"shared.pass", INTERVAL | FLOW | SIM},
    {"shared.access", INTERVAL | FLOW | SIM},
    {"shared.latency", REUSE | INTERVAL | LEARNED | FLOW | SIM},
    {"shared.", REUSE | INTERVAL | FLOW | SIM},
    {"l1.enabled", REUSE | INTERVAL | FLOW | SIM},
    {"l1.size", ALL},
    {"l1.line", ALL},
    {"l1.sector", ALL},
    {"l1.ways", REUSE | INTERVAL | LEARNED | FLOW | SIM},
    {"l1.unified", REUSE | INTERVAL | LEARNED | FLOW | SIM},
    {"l1.carveout", ALL},
    {"l1.allocate", FLOW | SIM},
    {"l1.write_policy", REUSE | INTERVAL | FLOW | SIM},
    {"l1.write_miss", REUSE | FLOW | SIM},
    {"l1.mshrs_per_warp", REUSE | DISSECT},
    {"l1.mshrs", REUSE | INTERVAL | FLOW | SIM | DISSECT},
    {"l1.mshr_merges", REUSE | SIM},
    {"l1.inflight_counts_as_hit", REUSE | LEARNED | FLOW | SIM},
    {"l1.tag_hit_counts_as_hit", REUSE | FLOW | SIM},
    {"l1.store_counts_by_line", REUSE | FLOW | SIM},
    {"l1.store_restarts_line", REUSE | FLOW | SIM},
    {"l1.reserved_lines", REUSE | INTERVAL | LEARNED | FLOW | SIM},
    {"l1.miss_requests_per_cycle", FLOW | SIM},
    {"l1.miss_join", FLOW | SIM},
    {"l1.texture_pitched_sectors", REUSE | FLOW | SIM},
    {"l1.texture_", FLOW | SIM},
    {"l1.pass", REUSE | FLOW | SIM},
    {"l1.store_drain", INTERVAL | FLOW | SIM},
    {"l1.store_", REUSE | FLOW | SIM},
    {"l1.hit", REUSE | INTERVAL | LEARNED | FLOW | SIM},
    {"l1.", REUSE | INTERVAL | FLOW | SIM},
    {"xbar.request_bytes", FLOW | SIM},
    {"xbar.response_bytes", INTERVAL | FLOW | SIM},
    {"xbar.total", INTERVAL | FLOW | SIM},
    {"xbar.coalescer", REUSE | FLOW | SIM},
    {"xbar.port_", FLOW | SIM},
    {"xbar.head", FLOW | SIM},
    {"xbar.", SIM},
    {"l2.slices", INTERVAL | FLOW | SIM},
    {"l2.effective", INTERVAL},
    {"l2.channel_hash", REUSE | FLOW | SIM},
    {"l2.slice_pair", FLOW | SIM},
    {"l2.bytes_per_cycle_per_slice", INTERVAL | FLOW | SIM},
    {"l2.fabric", FLOW | SIM},
    {"l2.request", INTERVAL | FLOW | SIM},
    {"l2.overtaken", FLOW},
    {"l2.overtaken_sector", FLOW},
    {"l2.partial_fill", FLOW},
    {"l2.partial_write", FLOW | SIM},
    {"l2.atomic_float", FLOW | SIM},
    {"l2.write_flit", FLOW | SIM},
    {"l2.atomic_whole", FLOW | SIM},
    {"l2.copies_void", REUSE | FLOW | SIM},
    {"l2.atomic", INTERVAL | FLOW | SIM},
    {"l2.mshr", SIM},
    {"l2.clock", FLOW | SIM},
    {"l2.persisting_", TIMELINE}, /* of launches with an access policy window */
    {"l2.window_max", NONE},      /* what a traced program is told */
    {"l2.window_steps", TIMELINE},
    {"l2.fill_on_memcpy", SIM},
    {"l2.home_bits", REUSE | FLOW | SIM},
    {"l2.home", REUSE | FLOW | SIM},
    {"l2.partition_of_gpc", REUSE | FLOW | SIM},
    {"l2.prefetch", DISSECT},
    {"l2.dirty_partial", REUSE | FLOW | SIM},
    {"l2.dirty", REUSE | FLOW | SIM},
    {"l2.hit", REUSE | INTERVAL | LEARNED | FLOW | SIM},
    {"l2.", REUSE | INTERVAL | FLOW | SIM},
    {"dram.capacity", NONE}, /* what a traced program is told */
    {"dram.channels", REUSE | INTERVAL | LEARNED | FLOW | SIM},
    {"dram.interleave", REUSE | FLOW | SIM},
    {"dram.bus", REUSE | INTERVAL | LEARNED | FLOW | SIM},
    {"dram.clock", REUSE | INTERVAL | LEARNED | FLOW | SIM},
    {"dram.data_rate", REUSE | INTERVAL | LEARNED | FLOW | SIM},
    {"dram.access", REUSE | INTERVAL | LEARNED | FLOW | SIM},
    {"dram.row_miss", FLOW},
    {"dram.efficiency", REUSE | INTERVAL | LEARNED | FLOW},
    {"dram.banks", FLOW | SIM},
    {"dram.row", FLOW | SIM},
    {"dram.tRRD", FLOW | SIM},
    {"dram.tRFC", FLOW | SIM},
    {"dram.refresh_groups", FLOW},
    {"dram.refresh_block", FLOW},
    {"dram.refresh_bank", FLOW},
    {"dram.refresh_every", FLOW},
    {"dram.tREFI", FLOW | SIM},
    {"dram.", SIM},
    {"tlb.before_l1", SIM | DISSECT},
    {"tlb.", FLOW | SIM | DISSECT},
    {"texture.sector", DISSECT},
    {"readonly.sector", DISSECT},
    {"texture.", REUSE | FLOW | SIM | DISSECT},
    {"readonly.", REUSE | FLOW | SIM | DISSECT},
    {"reuse.", REUSE},
    {"interval.", INTERVAL},
    {"between.", TIMELINE},
};

bool strata_model_reads_key(const char *model, const char *key)
{
    unsigned reader = NONE;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(names[i].name, model))
            reader = names[i].reader;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!strncmp(rows[i].key, key, strlen(rows[i].key)))
            return rows[i].readers & reader;
    return false;
}
