/* address_map.c - hashes over slices and channels. */
#include "memory/address_map.h"

#include "cache/index.h"

static uint32_t polynomial(uint64_t n, uint32_t targets);

strata_status address_map_init(struct address_map *m, const struct strata_gpu *g,
                               struct strata_error *err)
{
    uint32_t p = g->l2.partitions < 1 ? 1 : g->l2.partitions;
    if (p > ADDRESS_MAP_PARTITIONS || g->l2.slices < p || g->dram.channels < p)
        return strata_fail(err, STRATA_EUNSUPPORTED, g->name, 0, 0,
                           "l2.partitions is %u with %u slices and %u channels; each partition "
                           "needs a slice and a channel.",
                           p, g->l2.slices, g->dram.channels);
    *m = (struct address_map){.gpu = g,
                              .partitions = p,
                              .slices = g->l2.slices / p,
                              .channels = g->dram.channels / p,
                              .hash = g->l2.channel_hash,
                              .block_shift = log2_floor(g->dram.interleave_bytes),
                              .home_bytes = g->l2.home_bytes ? g->l2.home_bytes : 4096};
    for (uint32_t i = 0; i < g->l2.n_home_bits && p == 2; i++)
        m->home_mask |= UINT64_C(1) << g->l2.home_bits[i];
    if (g->l2.slice_pair_bytes && m->slices > 1)
        m->pair_shift = log2_floor(g->l2.slice_pair_bytes);
    for (uint32_t i = 0; i < 64 && m->pair_shift; i++)
        m->pair_of[i] = (uint16_t)polynomial(i, m->slices / 2);
    m->coupled = !m->pair_shift && m->slices % m->channels == 0;
    return STRATA_OK;
}

/* Residue by a primitive polynomial: for a power of two the one of that degree, which spreads every
 * aligned power-of-two stride evenly; for other numbers of targets one of degree 12, then the
 * remainder, so that neighbours still go to different targets. */
static uint32_t polynomial(uint64_t n, uint32_t targets)
{
    bool exact = is_power_of_two(targets) && targets <= 4096;
    return index_polynomial(n, exact ? log2_floor(targets) : 12) % targets;
}

/* The channel bits xored with higher ones (paper 004, section II). */
static uint32_t folded(uint64_t n, uint32_t targets)
{
    uint32_t x = 0;
    if (is_power_of_two(targets))
        return index_folded(n, log2_floor(targets));
    for (uint64_t rest = n; rest; rest /= targets)
        x += (uint32_t)(rest % targets);
    return x % targets;
}

uint32_t address_map_spread(uint32_t hash, uint64_t n, uint32_t targets)
{
    switch (hash) {
    case STRATA_CHANNEL_XOR:
        return folded(n, targets);
    case STRATA_CHANNEL_IPOLY:
        return polynomial(n, targets);
    default:
        return (uint32_t)(n % targets);
    }
}

/* Slices that belong to channels share their blocks, a line each in turn: the line's number among
 * those of its channel, and back. */
static uint64_t line_of_channel(const struct address_map *m, uint64_t line)
{
    uint32_t lines = m->block_shift - 7;
    return (line >> m->block_shift) / m->channels << lines | (line >> 7 & ((1u << lines) - 1));
}
static uint64_t line_in_channel(const struct address_map *m, uint64_t n, uint32_t channel)
{
    uint32_t lines = m->block_shift - 7;
    return ((n >> lines) * m->channels + channel) << m->block_shift | (n & ((1u << lines) - 1))
                                                                          << 7;
}

uint32_t address_map_slice_of_channel(const struct address_map *m, uint64_t line)
{
    uint32_t per = m->slices / m->channels;
    return address_map_channel(m, line) * per + (uint32_t)(line_of_channel(m, line) % per);
}

/* Two slices take the quarters of a block in turn; the 64 blocks of a group are dealt evenly over
 * the pairs, each group from another pair on (probe atomic: lines 0 and 1 share a slice, 2 and 3
 * another, 4 is with 0 again; 4 KB lie in eight slices; of 64 KB the busiest slice has half as much
 * again as the mean, the least two thirds; of 256 lines at a stride of 4, 8, 16, 24 and 48 KB it
 * has 9, 11, 9, 9 and 9, no more than chance gives, so a matrix's column is not in fewer slices
 * than its rows). */
uint32_t address_map_slice_of_pair(const struct address_map *m, uint64_t line)
{
    uint64_t block = line >> m->pair_shift, turn = mix64(block >> 6);
    uint32_t pairs = m->slices / 2, from = (uint32_t)((turn & 0xffffffff) * pairs >> 32),
             pair = m->pair_of[block & 63] + from;
    pair -= pair < pairs ? 0 : pairs;
    return pair * 2 + (uint32_t)((line >> (m->pair_shift - 2) ^ turn >> 40) & 1);
}

uint64_t address_map_local(const struct address_map *m, uint64_t line)
{
    if (m->hash != STRATA_CHANNEL_NONE || m->pair_shift)
        return line;
    uint64_t n =
        m->coupled ? line_of_channel(m, line) / (m->slices / m->channels) : (line >> 7) / m->slices;
    return n << 7 | (line & 127);
}

uint64_t address_map_global(const struct address_map *m, uint32_t slice, uint64_t local)
{
    if (m->hash != STRATA_CHANNEL_NONE || m->pair_shift)
        return local;
    if (!m->coupled)
        return ((local >> 7) * m->slices + slice) << 7 | (local & 127);
    uint32_t per = m->slices / m->channels;
    uint64_t n = (local >> 7) * per + slice % per;
    return line_in_channel(m, n, slice / per) | (local & 127);
}

uint32_t address_map_gpcs(const struct strata_gpu *gpu)
{
    uint32_t n = gpu->launch.gpcs ? gpu->launch.gpcs : 1;
    for (uint32_t s = 0; s < gpu->launch.n_gpc_of_sm; s++)
        if (gpu->launch.gpc_of_sm[s] >= n)
            n = gpu->launch.gpc_of_sm[s] + 1;
    return n;
}
