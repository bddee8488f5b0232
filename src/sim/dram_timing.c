/* dram_timing.c - when a DRAM command is legal, and what it makes illegal for how long. */
#include "base/array.h"
#include "base/bits.h"
#include "sim/dram.h"

static uint32_t at_least_one(uint64_t x)
{
    return x ? (uint32_t)x : 1;
}

static uint32_t limit(uint32_t entries)
{
    return entries ? entries : UINT32_MAX;
}

static void derive(struct dram_timing *t)
{
    t->read_to_write = t->tCL + t->burst + 2 > t->tWL ? t->tCL + t->burst + 2 - t->tWL : 1;
    t->write_to_read = t->tWL + t->burst + t->tCDLR;
    t->write_to_precharge = t->tWL + t->burst + t->tWR;
}

/* dram.access is what a row hit without queue takes on top of an L2 hit. What the commands of the
 * channel do not explain of it is the way there and back; most of it lies on the way back, so that
 * a window of time can be long. */
static void split_latency(struct dram_timing *t, uint32_t access_cycles)
{
    uint64_t inside = ceil_div((uint64_t)(t->tCL + t->burst) * t->sm_mhz, t->dram_mhz);
    uint64_t fixed = access_cycles > inside ? access_cycles - inside : 0;
    t->before = (uint32_t)(fixed / 4);
    t->after = (uint32_t)(fixed - t->before);
    t->unloaded = (uint32_t)(fixed + inside);
}

strata_status dram_timing_init(struct dram_timing *t, const struct strata_gpu *gpu,
                               struct strata_error *err)
{
    uint32_t refresh = gpu->dram.tRFC ? gpu->dram.tREFI : 0, banks = gpu->dram.banks;
    if (banks > DRAM_MAX_BANKS || gpu->dram.bank_groups > banks)
        return strata_fail(err, STRATA_EUNSUPPORTED, gpu->name, 0, 0,
                           "dram.banks is %u and dram.bank_groups %u; the clocked model takes up "
                           "to %u banks, and no more groups than banks.",
                           banks, gpu->dram.bank_groups, DRAM_MAX_BANKS);
    *t = (struct dram_timing){
        .tCCD = gpu->dram.tCCD,
        .tCCDL = gpu->dram.tCCDL,
        .tRRD = gpu->dram.tRRD,
        .tRCD = gpu->dram.tRCD,
        .tRAS = gpu->dram.tRAS,
        .tRP = gpu->dram.tRP,
        .tRC = gpu->dram.tRC,
        .tCL = gpu->dram.tCL,
        .tWL = gpu->dram.tWL,
        .tCDLR = gpu->dram.tCDLR,
        .tWR = gpu->dram.tWR,
        .tRTPL = gpu->dram.tRTPL,
        .tFAW = gpu->dram.tFAW,
        .tRFC = gpu->dram.tRFC,
        .banks = banks,
        .groups = at_least_one(gpu->dram.bank_groups),
        .burst = at_least_one(ceil_div(gpu->dram.burst_length, gpu->dram.data_rate)),
        .dual_command_bus = gpu->dram.dual_command_bus,
        .per_bank_refresh = gpu->dram.per_bank_refresh,
        .separate_writes = gpu->dram.separate_write_queue,
        .bank_hash = gpu->dram.bank_hash,
        .in_order = gpu->dram.scheduler == STRATA_DRAM_FCFS,
        .read_queue = limit(gpu->dram.read_queue),
        .write_queue = limit(gpu->dram.write_queue),
        .write_high = gpu->dram.write_high,
        .write_low = gpu->dram.write_low,
        .age_limit = gpu->dram.age_limit,
        .sm_mhz = gpu->sm.clock_mhz,
        .dram_mhz = gpu->dram.clock_mhz,
        .atom_bytes = gpu->dram.bus_bytes * gpu->dram.burst_length,
        .row_bytes = gpu->dram.row_bytes,
        .interleave_bytes = gpu->dram.interleave_bytes,
        .all_channels = gpu->dram.channels};
    if (t->write_high == 0 || t->write_high > t->write_queue)
        t->write_high = t->write_queue == UINT32_MAX ? 32 : t->write_queue;
    if (t->write_low >= t->write_high)
        t->write_low = t->write_high / 2;
    if (refresh)
        t->refresh_interval = at_least_one(t->per_bank_refresh ? refresh / banks : refresh);
    derive(t);
    split_latency(t, gpu->dram.access_cycles);
    return STRATA_OK;
}

/* Blocks of 256 bytes go round the channels. Of a channel's own blocks two neighbours lie in two
 * banks (of two groups, whose columns may follow one another at tCCD), then columns, banks, rows:
 * the order RRR.BBB.CCC.B.CCC of the published address maps. Hashed banks are xored with row bits.
 */
void dram_decode(const struct dram_timing *t, uint64_t line, uint32_t *bank, uint32_t *row)
{
    uint64_t block = line / t->interleave_bytes / t->all_channels;
    uint32_t low = t->banks > 1 ? (uint32_t)(block & 1) : 0,
             per_row = t->row_bytes > t->interleave_bytes ? t->row_bytes / t->interleave_bytes : 1;
    uint64_t wide = (t->banks > 1 ? block >> 1 : block) / per_row;
    uint32_t high_banks = t->banks > 1 ? t->banks / 2 : 1;
    uint64_t high = wide % high_banks, r = wide / high_banks;
    uint64_t b = t->banks > 1 ? high * 2 + low : 0;
    if (t->bank_hash && is_power_of_two(t->banks)) {
        unsigned bits = log2_floor(t->banks);
        for (uint64_t x = r; x && bits; x >>= bits)
            b ^= x & (t->banks - 1);
    } else if (t->bank_hash) {
        b = (b + mix64(r)) % t->banks;
    }
    *bank = (uint32_t)(b % t->banks);
    *row = (uint32_t)r;
}

/* A fourth activate back in time closes the window of tFAW. */
static uint64_t activate_allowed(const struct dram_channel *c)
{
    const struct dram_timing *t = c->timing;
    uint64_t at = c->any_activate_at;
    if (t->tFAW && c->n_activates >= 4)
        at = later_of(at, c->last_activates[c->n_activates & 3] + t->tFAW);
    return at;
}

uint64_t dram_earliest(const struct dram_channel *c, enum dram_command command, uint32_t bank)
{
    const struct dram_bank *b = &c->bank[bank];
    switch (command) {
    case DRAM_ACTIVATE:
        return later_of(b->activate_at, activate_allowed(c));
    case DRAM_PRECHARGE:
        return b->precharge_at;
    case DRAM_READ:
        return later_of(later_of(b->column_at, c->group_at[bank % c->timing->groups]), c->read_at);
    case DRAM_WRITE:
        return later_of(later_of(b->column_at, c->group_at[bank % c->timing->groups]), c->write_at);
    case DRAM_REFRESH:
        return b->activate_at;
    default: {
        uint64_t at = 0;
        for (uint32_t i = 0; i < c->timing->banks; i++)
            at = later_of(at, c->bank[i].activate_at);
        return at;
    }
    }
}

static void log_command(struct dram_channel *c, enum dram_command command, uint32_t bank,
                        uint32_t row, uint64_t clock)
{
    if (c->n_log == c->cap_log && !ARRAY_RESERVE(c->log, c->n_log, c->cap_log, 1)) {
        c->failed = true;
        return;
    }
    c->log[c->n_log++] = (struct dram_logged){
        .clock = clock, .row = row, .command = (uint8_t)command, .bank = (uint8_t)bank};
}

static void column(struct dram_channel *c, bool write, uint32_t bank, uint64_t clock)
{
    const struct dram_timing *t = c->timing;
    struct dram_bank *b = &c->bank[bank];
    uint64_t next = clock + later_of(t->tCCD, t->burst);
    uint64_t *group = &c->group_at[bank % t->groups];
    *group = later_of(*group, clock + t->tCCDL);
    if (write) {
        c->write_at = later_of(c->write_at, next);
        c->read_at = later_of(c->read_at, clock + t->write_to_read);
        b->precharge_at = later_of(b->precharge_at, clock + t->write_to_precharge);
        c->count.writes++;
    } else {
        c->read_at = later_of(c->read_at, next);
        c->write_at = later_of(c->write_at, clock + t->read_to_write);
        b->precharge_at = later_of(b->precharge_at, clock + t->tRTPL);
        c->count.reads++;
    }
    c->count.busy_clocks += t->burst;
}

void dram_issue(struct dram_channel *c, enum dram_command command, uint32_t bank, uint32_t row,
                uint64_t clock)
{
    const struct dram_timing *t = c->timing;
    struct dram_bank *b = &c->bank[bank];
    if (c->keep_log)
        log_command(c, command, bank, row, clock);
    switch (command) {
    case DRAM_ACTIVATE:
        b->open_row = row;
        b->column_at = clock + t->tRCD;
        b->precharge_at = later_of(b->precharge_at, clock + t->tRAS);
        b->activate_at = clock + t->tRC;
        c->any_activate_at = clock + t->tRRD;
        c->last_activates[c->n_activates++ & 3] = clock;
        c->count.activates++;
        break;
    case DRAM_PRECHARGE:
        b->open_row = DRAM_NONE;
        b->activate_at = later_of(b->activate_at, clock + t->tRP);
        break;
    case DRAM_READ:
    case DRAM_WRITE:
        column(c, command == DRAM_WRITE, bank, clock);
        break;
    case DRAM_REFRESH:
        b->activate_at = clock + t->tRFC;
        c->count.refreshes++;
        break;
    case DRAM_REFRESH_ALL:
        for (uint32_t i = 0; i < t->banks; i++)
            c->bank[i].activate_at = clock + t->tRFC;
        c->count.refreshes++;
        break;
    }
}
