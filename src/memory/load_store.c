/* load_store.c - tags and data banks. */
#include "memory/load_store.h"

#include <string.h>

/* What the key l1.banks may be at most, and how many numbers l1.tag_banks has. */
enum { MOST_L1_BANKS = 64, MOST_TAG_BANK_BITS = 4 };

/* Passes over the data banks: lanes whose words share a bank go one after another. Affine accesses
 * to words need no look at each lane. */
static uint32_t bank_passes(const struct strata_gpu *gpu, const struct strata_coalescer *c,
                            const struct strata_winst *w)
{
    if (w->addr_kind == STRATA_ADDR_STRIDE && w->inst->width_bytes == 4 && w->stride % 4 == 0 &&
        gpu->shared.banks == 32 && gpu->shared.bank_mode == STRATA_BANKS_4B) {
        uint32_t step = (uint32_t)(w->stride < 0 ? -w->stride : w->stride) / 4;
        uint32_t common =
            step % 32 ? step & (0u - step) : 32; /* greatest power of two in the step, up to 32 */
        return step ? (popcount32(w->mask) * common + 31) / 32 : 1;
    }
    return strata_shared_access(c, w).wavefronts;
}

/* Cycles for the tags of n lines that lie in banks by a hash of their numbers. */
static uint32_t tag_bank_cycles(const struct strata_gpu *gpu, const struct strata_request *r,
                                unsigned n)
{
    uint8_t lines[1 << MOST_TAG_BANK_BITS] = {0};
    uint32_t most = 1, line_bytes = gpu->l1.cache.line_bytes;
    for (unsigned i = 0; i < n; i++) {
        uint32_t number = (uint32_t)(r[i].line / line_bytes), bank = 0;
        for (uint32_t k = 0; k < gpu->l1.n_tag_banks; k++)
            bank |= (popcount32(number & gpu->l1.tag_banks[k]) & 1) << k;
        uint32_t in_bank = ++lines[bank];
        most = in_bank > most ? in_bank : most;
    }
    uint32_t each = load_store_tags(gpu) >> gpu->l1.n_tag_banks; /* lines a cycle of a bank */
    return each > 1 ? (most + each - 1) / each : most;
}

uint32_t load_store_tag_cycles(const struct strata_gpu *gpu, const struct strata_request *r,
                               unsigned n)
{
    if (gpu->l1.n_tag_banks)
        return n > 1 ? tag_bank_cycles(gpu, r, n) : 1;
    uint32_t tags = load_store_tags(gpu), most = (n + tags - 1) / tags;
    uint8_t lines[MOST_L1_BANKS] = {0};
    for (unsigned i = 0; gpu->l1.banks && i < n; i++) {
        uint32_t in_bank = ++lines[r[i].line / gpu->l1.cache.line_bytes % gpu->l1.banks];
        most = in_bank > most ? in_bank : most;
    }
    return most;
}

/* Passes of the texture unit by the bytes of a texel. */
static uint32_t texture_passes(const struct strata_gpu *gpu, const struct strata_inst *i,
                               const struct strata_launch_texture *t)
{
    uint32_t bytes = t ? t->texel_bytes : i->width_bytes, part = gpu->l1.texture_filter_bytes;
    if (!t || !t->filters || !part)
        return bytes > 8 ? 2 : 1;
    return (bytes + part - 1) / part * (i->hints & STRATA_HINT_MIXED_Z ? 2 : 1);
}

/* How much later than a load's the data of a read comes that one pass takes. */
static uint32_t texture_later(const struct strata_gpu *gpu, const struct strata_launch_texture *t,
                              bool line)
{
    uint32_t hit = line ? gpu->l1.texture_line_hit_cycles : gpu->l1.texture_hit_cycles,
             more = t && t->filters ? gpu->l1.texture_filter_cycles : 0;
    return (hit > gpu->l1.hit_cycles ? hit - gpu->l1.hit_cycles : 0) + more;
}

struct load_store_texture load_store_texture_of(const struct strata_gpu *gpu,
                                                const struct strata_inst *i,
                                                const struct strata_launch_texture *t,
                                                uint32_t passes)
{
    if (i->space != STRATA_SPACE_TEXTURE || i->memop != STRATA_MEM_LOAD ||
        !gpu->l1.texture_read_cycles)
        return (struct load_store_texture){0};
    bool line = i->opcode && (!strncmp(i->opcode, "TLD.", 4) || !strncmp(i->opcode, "tex.1d", 6));
    uint32_t each = line ? gpu->l1.texture_line_cycles : gpu->l1.texture_read_cycles,
             cycles = each * texture_passes(gpu, i, t);
    cycles = passes > cycles ? passes : cycles;
    return (struct load_store_texture){cycles, texture_later(gpu, t, line) + cycles - each};
}

/* Cycles in which a whole warp's data goes to its registers. */
static uint32_t data_cycles(const struct strata_gpu *gpu, const struct strata_winst *w)
{
    uint32_t bytes = gpu->sm.warp_size * w->inst->width_bytes, rate = gpu->l1.bytes_per_cycle;
    return rate && bytes > rate ? (bytes + rate - 1) / rate : 1;
}

uint32_t load_store_passes(const struct strata_gpu *gpu, const struct strata_coalescer *c,
                           const struct strata_winst *w, unsigned n)
{
    uint32_t width = data_cycles(gpu, w), passes = n > width ? bank_passes(gpu, c, w) : width;
    return passes > width ? passes : width;
}

uint32_t load_store_cycles_with(const struct strata_gpu *gpu, const struct strata_winst *w,
                                uint32_t tag_cycles, uint32_t passes)
{
    uint32_t cycles = tag_cycles > passes ? tag_cycles : passes;
    bool store = w->inst->memop == STRATA_MEM_STORE;
    return store && cycles < gpu->l1.store_cycles ? gpu->l1.store_cycles : cycles;
}

uint32_t load_store_cycles(const struct strata_gpu *gpu, const struct strata_coalescer *c,
                           const struct strata_winst *w, const struct strata_request *r, unsigned n)
{
    return load_store_cycles_with(gpu, w, load_store_tag_cycles(gpu, r, n),
                                  load_store_passes(gpu, c, w, n));
}
