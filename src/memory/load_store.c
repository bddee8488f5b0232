/* load_store.c - tags and data banks. */
#include "memory/load_store.h"

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

uint32_t load_store_cycles(const struct strata_gpu *gpu, const struct strata_coalescer *c,
                           const struct strata_winst *w, unsigned n)
{
    uint32_t tags = load_store_tags(gpu), cycles = (n + tags - 1) / tags,
             width = w->inst->width_bytes > 4 ? w->inst->width_bytes / 4u : 1,
             passes = n > width ? bank_passes(gpu, c, w) : width;
    if (cycles < passes)
        cycles = passes;
    bool store = w->inst->memop == STRATA_MEM_STORE;
    return store && cycles < gpu->l1.store_cycles ? gpu->l1.store_cycles : cycles;
}
