/* memmap.c - where a line lives: partition, slice, channel. */
#include "base/bits.h"
#include "sim/memparts.h"

uint32_t sim_map_home(const struct sim_map *m, uint64_t line)
{
    if (m->partitions == 1)
        return 0;
    if (m->home_mask)
        return memside_home_by_bits(m->home_mask, line);
    return (uint32_t)(mix64(line / m->home_bytes * 2 + 1) >> 40) % m->partitions;
}

/* Residue by a primitive polynomial: for a power of two the one of that degree, which spreads every
 * aligned power-of-two stride evenly; for other numbers of targets one of degree 12, then the
 * remainder, so that neighbours still go to different targets. */
static uint32_t polynomial(uint64_t n, uint32_t targets)
{
    static const uint32_t primitive[] = {1, 3, 7, 11, 19, 37, 67, 131, 285, 529, 1033, 2053, 4179};
    unsigned bits = is_power_of_two(targets) && targets <= 4096 ? log2_floor(targets) : 12;
    if (!bits)
        return 0;
    for (int i = 47; i >= (int)bits; i--)
        if (n >> i & 1)
            n ^= (uint64_t)primitive[bits] << (i - (int)bits);
    return ((uint32_t)n & ((1u << bits) - 1)) % targets;
}

/* The channel bits xored with higher ones (paper 004, section II). */
static uint32_t folded(uint64_t n, uint32_t targets)
{
    uint32_t x = 0;
    if (is_power_of_two(targets)) {
        unsigned bits = log2_floor(targets);
        for (; n && bits; n >>= bits)
            x ^= (uint32_t)n & (targets - 1);
        return x;
    }
    for (uint64_t rest = n; rest; rest /= targets)
        x += (uint32_t)(rest % targets);
    return x % targets;
}

static uint32_t spread(uint32_t hash, uint64_t n, uint32_t targets)
{
    switch (hash) {
    case STRATA_CHANNEL_XOR:
        return folded(n, targets);
    case STRATA_CHANNEL_IPOLY:
        return polynomial(n, targets);
    case STRATA_CHANNEL_MIX:
        return (uint32_t)(((mix64(n) & 0xffffffff) * targets) >> 32);
    default:
        return (uint32_t)(n % targets);
    }
}

uint32_t sim_map_channel(const struct sim_map *m, uint64_t line)
{
    uint64_t block = line >> 8;
    if (m->hash == STRATA_CHANNEL_MIX)
        block += 0x5bd1e995; /* not the hash of the slices */
    return spread(m->hash, block, m->channels);
}

/* Slices that belong to channels share their 256-byte blocks, a line each in turn. */
static uint64_t line_of_channel(const struct sim_map *m, uint64_t line)
{
    return (line >> 8) / m->channels * 2 + (line >> 7 & 1);
}

uint32_t sim_map_slice(const struct sim_map *m, uint64_t line)
{
    if (!m->coupled)
        return spread(m->hash, line >> 7, m->slices);
    uint32_t per = m->slices / m->channels;
    return sim_map_channel(m, line) * per + (uint32_t)(line_of_channel(m, line) % per);
}

uint64_t sim_map_local(const struct sim_map *m, uint64_t line)
{
    if (m->hash != STRATA_CHANNEL_NONE)
        return line;
    uint64_t n =
        m->coupled ? line_of_channel(m, line) / (m->slices / m->channels) : (line >> 7) / m->slices;
    return n << 7 | (line & 127);
}

uint64_t sim_map_global(const struct sim_map *m, uint32_t slice, uint64_t local)
{
    if (m->hash != STRATA_CHANNEL_NONE)
        return local;
    if (!m->coupled)
        return ((local >> 7) * m->slices + slice) << 7 | (local & 127);
    uint32_t per = m->slices / m->channels;
    uint64_t n = (local >> 7) * per + slice % per;
    return ((n >> 1) * m->channels + slice / per) << 8 | (n & 1) << 7 | (local & 127);
}

struct sim_slice *sim_slice_of(struct sim_memside *m, uint32_t partition, uint64_t line)
{
    return &m->slice[partition * m->map.slices + sim_map_slice(&m->map, line)];
}

struct dram_channel *sim_channel_of(struct sim_memside *m, uint32_t partition, uint64_t line)
{
    return &m->channel[partition * m->map.channels + sim_map_channel(&m->map, line)];
}
