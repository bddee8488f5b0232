/* dram.c - channels with open rows: bandwidth and latency, no commands. */
#include "flow/memory.h"

#include "base/bits.h"

/* Channel of a line in its home partition. Neighbouring lines go to different channels. */
static uint32_t channel_of(const struct flow_memory *m, uint64_t line)
{
    uint64_t n = line >> 8;
    return (uint32_t)(((mix64(n + 0x5bd1e995) & 0xffffffff) * m->channels) >> 32);
}

/* 64ths of a cycle more that a row change costs the channel; other banks hide part of it. */
static uint32_t row_change(struct flow_memory *m, struct flow_partition *p, uint32_t channel, uint64_t line, bool *missed)
{
    const struct strata_gpu *g = m->gpu;
    *missed = false;
    if (!g->dram.row_miss_cycles || !g->dram.banks)
        return 0;
    /* A row's bytes are spread over the channels of the GPU in blocks of 256 bytes. */
    uint64_t row = line / ((uint64_t)g->dram.row_bytes * m->channels * m->n_partitions);
    uint32_t bank = (uint32_t)(mix64(row) >> 33) % g->dram.banks;
    uint64_t *open = &p->bank_row[(size_t)channel * g->dram.banks + bank];
    if (*open == row + 1)
        return 0;
    *open = row + 1;
    *missed = true;
    m->count.row_misses++;
    return g->dram.row_miss_cycles * 64 / g->dram.banks;
}

/* A refresh closes a channel for a while; the channels take turns. What is under way waits. */
static void refresh(struct flow_memory *m, struct flow_partition *p, uint32_t channel)
{
    if (!m->refresh_every)
        return;
    uint64_t phase = (m->now + (uint64_t)channel * m->refresh_every / m->channels) % m->refresh_every;
    if (phase < m->refresh_cycles)
        p->channel_free64[channel] = flow_max(p->channel_free64[channel], (m->now + m->refresh_cycles - phase) * 64);
}

uint64_t flow_dram_read(struct flow_memory *m, uint32_t partition, uint64_t line, uint32_t n_sectors, uint64_t t)
{
    struct flow_partition *p = &m->partition[partition];
    uint32_t channel = channel_of(m, line);
    bool missed;
    refresh(m, p, channel);
    uint32_t cost = n_sectors * m->channel_64ths_per_sector + row_change(m, p, channel, line, &missed);
    uint64_t start = flow_take(m, &p->channel_free64[channel], t, cost);
    m->count.dram_read += n_sectors;
    return start + cost / 64 + m->gpu->dram.access_cycles + (missed ? m->gpu->dram.row_miss_cycles : 0);
}

void flow_dram_write(struct flow_memory *m, uint32_t partition, uint64_t line, uint32_t n_sectors, uint64_t t)
{
    struct flow_partition *p = &m->partition[partition];
    uint32_t channel = channel_of(m, line);
    bool missed;
    refresh(m, p, channel);
    uint32_t cost = n_sectors * m->channel_64ths_per_sector + row_change(m, p, channel, line, &missed);
    flow_take(m, &p->channel_free64[channel], t, cost);
    m->count.dram_write += n_sectors;
}
