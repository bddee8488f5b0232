/* dram.c - channels with open rows: bandwidth and latency, no commands. */
#include "memory/hierarchy.h"

#include "base/bits.h"

/* Channel of a line in its home partition. Neighbouring lines go to different channels. */
static uint32_t channel_of(const struct hierarchy *m, uint64_t line)
{
    uint64_t n = line >> 8;
    return (uint32_t)(((mix64(n + 0x5bd1e995) & 0xffffffff) * m->channels) >> 32);
}

/* True if the line's row is not open in its bank; it is then. A row's bytes are spread over the
 * channels of the GPU in blocks of 256 bytes. */
static bool row_change(struct hierarchy *m, struct hierarchy_partition *p, uint32_t channel,
                       uint64_t line)
{
    const struct strata_gpu *g = m->gpu;
    if (!g->dram.row_miss_cycles || !g->dram.banks)
        return false;
    uint64_t row = line / ((uint64_t)g->dram.row_bytes * m->channels * m->side.n_partitions);
    uint32_t bank = (uint32_t)(mix64(row) >> 33) % g->dram.banks;
    uint64_t *open = &p->bank_row[(size_t)channel * g->dram.banks + bank];
    if (*open == row + 1)
        return false;
    *open = row + 1;
    m->count.row_misses++;
    return true;
}

/* A refresh closes a channel for a while; the channels take turns. What is under way waits. */
static void refresh(struct hierarchy *m, struct hierarchy_partition *p, uint32_t channel)
{
    if (!m->refresh_every)
        return;
    uint64_t phase =
        (m->now + (uint64_t)channel * m->refresh_every / m->channels) % m->refresh_every;
    if (phase < m->refresh_cycles)
        p->channel_free64[channel] =
            hierarchy_max(p->channel_free64[channel], (m->now + m->refresh_cycles - phase) * 64);
}

/* The data bus and the rate of activates are two resources: a stream is bound by the first, 64-byte
 * accesses at random by the second (probe random_read: 1258 bytes a cycle over 512 MB, a stream
 * 2200). */
static uint64_t access_channel(struct hierarchy *m, uint32_t partition, uint64_t line,
                               uint32_t n_sectors, uint64_t t, bool *new_row)
{
    struct hierarchy_partition *p = &m->partition[partition];
    uint32_t channel = channel_of(m, line);
    refresh(m, p, channel);
    *new_row = row_change(m, p, channel, line);
    uint64_t start =
        *new_row ? hierarchy_take(m, &p->activate_free64[channel], t, m->activate_64ths) : t;
    uint32_t cost = n_sectors * m->channel_64ths_per_sector;
    return hierarchy_max(start, hierarchy_take(m, &p->channel_free64[channel], t, cost)) +
           cost / 64;
}

uint64_t hierarchy_dram_read(struct hierarchy *m, uint32_t partition, uint64_t line,
                             uint32_t n_sectors, uint64_t t)
{
    bool new_row;
    uint64_t done = access_channel(m, partition, line, n_sectors, t, &new_row);
    m->count.dram_read += n_sectors;
    return done + m->gpu->dram.access_cycles + (new_row ? m->gpu->dram.row_miss_cycles : 0);
}

void hierarchy_dram_write(struct hierarchy *m, uint32_t partition, uint64_t line,
                          uint32_t n_sectors, uint64_t t)
{
    bool new_row;
    access_channel(m, partition, line, n_sectors, t, &new_row);
    m->count.dram_write += n_sectors;
}
