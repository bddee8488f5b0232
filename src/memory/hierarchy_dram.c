/* hierarchy_dram.c - channels with open rows: bandwidth and latency, no commands. */
#include "memory/hierarchy.h"

/* True if the line's row is not open in its bank; it is then. A row's bytes are spread over the
 * channels of the GPU in blocks. */
static bool row_change(struct hierarchy *m, struct hierarchy_partition *p, uint32_t channel,
                       uint64_t line)
{
    const struct strata_gpu *g = m->gpu;
    if (!g->dram.row_miss_cycles || !g->dram.banks)
        return false;
    uint64_t row = line / ((uint64_t)g->dram.row_bytes * m->map.channels * m->map.partitions);
    uint32_t bank = (uint32_t)(mix64(row) >> 33) % g->dram.banks;
    uint64_t *open = &p->bank_row[(size_t)channel * g->dram.banks + bank];
    if (*open == row + 1)
        return false;
    *open = row + 1;
    m->count.row_misses++;
    return true;
}

/* A refresh closes the channels of a group for a while; the groups take turns. What is under way
 * waits. */
static void refresh(struct hierarchy *m, struct hierarchy_partition *p, uint32_t channel)
{
    if (!m->refresh_every || m->gpu->dram.refresh_block_bytes)
        return;
    uint32_t groups = m->refresh_groups;
    uint64_t group = (uint64_t)channel * groups / m->map.channels;
    uint64_t phase = (m->now + group * m->refresh_every / groups) % m->refresh_every;
    if (phase < m->refresh_cycles)
        p->channel_free64[channel] =
            later_of(p->channel_free64[channel], (m->now + m->refresh_cycles - phase) * 64);
}

/* Where blocks of addresses are refreshed, each at a time of its own, a line that is asked for at t
 * waits for its own block alone (device/hopper/traffic.cu, cold: of boxes of 64 lines that lie
 * within 64 KB 40 in 100 take up to 520 cycles longer, of those within 256 KB 75 and within 512 KB
 * 93; of single lines 16). What it takes of the channels is in their rate. */
static uint64_t refreshed(const struct hierarchy *m, uint32_t partition, uint32_t channel,
                          uint64_t line, uint64_t t)
{
    const struct strata_gpu *g = m->gpu;
    uint64_t every = g->dram.refresh_every_cycles;
    if (!g->dram.refresh_block_bytes || !every)
        return t;
    uint64_t group = (uint64_t)channel * m->refresh_groups / m->map.channels,
             block = line / g->dram.refresh_block_bytes,
             own = mix64((block * m->map.partitions + partition) * m->refresh_groups + group) >> 20,
             phase = (t + own) % every;
    return phase < g->dram.refresh_bank_cycles ? t + g->dram.refresh_bank_cycles - phase : t;
}

/* The data bus and the rate of activates are two resources: a stream is bound by the first, 64-byte
 * accesses at random by the second (probe random_read: 1258 bytes a cycle over 512 MB, a stream
 * 2200). */
static uint64_t access_channel(struct hierarchy *m, uint32_t partition, uint64_t line,
                               uint32_t n_sectors, uint32_t activate_64ths, uint64_t t,
                               bool *new_row)
{
    struct hierarchy_partition *p = &m->partition[partition];
    uint32_t channel = address_map_channel(&m->map, line);
    refresh(m, p, channel);
    t = refreshed(m, partition, channel, line, t);
    *new_row = row_change(m, p, channel, line);
    uint64_t start =
        *new_row ? hierarchy_take(m, &p->activate_free64[channel], t, activate_64ths) : t;
    uint32_t cost = n_sectors * m->channel_64ths_per_sector;
    return hierarchy_take(m, &p->channel_free64[channel], start, cost) + cost / 64;
}

/* Whoever wants to know is told times that never go back; a write-back leaves with what pushed it
 * out. */
static void tell(struct hierarchy *m, uint64_t line, uint32_t sectors, bool is_write, uint64_t t)
{
    if (!m->dram || !sectors || line >= MEMORY_OTHERS)
        return;
    m->dram_told = later_of(t, m->dram_told);
    m->dram->access(m->dram->context,
                    &(struct strata_dram_access){line, sectors, is_write, m->dram_told});
}

uint64_t hierarchy_dram_read(struct hierarchy *m, uint32_t partition, uint64_t line,
                             uint32_t sectors, uint64_t t)
{
    bool new_row;
    uint64_t done =
        access_channel(m, partition, line, popcount32(sectors), m->activate_64ths, t, &new_row);
    m->count.dram_read += popcount32(sectors);
    tell(m, line, sectors, false, t);
    return done + m->gpu->dram.access_cycles + (new_row ? m->gpu->dram.row_miss_cycles : 0);
}

static uint64_t write_channel(struct hierarchy *m, uint32_t partition, uint64_t line, uint32_t n,
                              uint64_t t)
{
    bool new_row;
    return access_channel(m, partition, line, n, m->write_activate_64ths, t, &new_row);
}

uint64_t hierarchy_dram_write(struct hierarchy *m, uint32_t partition, uint64_t line,
                              uint32_t sectors, uint64_t due, uint64_t t)
{
    uint32_t n = popcount32(sectors);
    m->count.dram_write += n;
    tell(m, line, sectors, true, t);
    if (!due)
        return write_channel(m, partition, line, n, t);
    struct late_writes *late = &m->partition[partition].late;
    struct late_write w;
    uint64_t done = due;
    while (late_writes_take(late, t, &w))
        done = later_of(done, write_channel(m, partition, w.line, w.n_sectors, t));
    late_writes_put(late, (struct late_write){line, due, n});
    return done;
}
