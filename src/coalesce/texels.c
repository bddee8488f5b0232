/* texels.c - reads of textures: the texels that the lanes name, and those that filters mix in. */
#include "coalesce/coalesce.h"

#include "trace/texel_layout.h"

const struct strata_launch_texture *strata_coalescer_texture_of(const struct strata_coalescer *c,
                                                                const struct strata_winst *w)
{
    if (!c->launch || !w->mask || w->addr_kind == STRATA_ADDR_NONE)
        return NULL;
    uint64_t first = w->addr_kind == STRATA_ADDR_STRIDE ? w->base : w->addr[lowest_bit32(w->mask)];
    return strata_launch_texture_at(c->launch, w->inst, first);
}

/* The place behind `at` on an axis of n places: beyond the last is the first, or the last itself.
 */
static uint64_t next_place(uint64_t at, uint64_t step, uint64_t n, bool wraps)
{
    return at + step < n ? at + step : wraps ? 0 : at;
}

/* Where the neighbour of a texel lies, by one on the axes whose bits are set. */
static uint64_t neighbour(const struct strata_launch_texture *t, uint64_t address, unsigned axes)
{
    if (address - t->base >= t->depth * t->slice_bytes)
        return address; /* of another texture */
    struct texel_place p = texel_at(t, address);
    if (axes & 1)
        p.x_bytes = next_place(p.x_bytes, t->texel_bytes, (uint64_t)t->width * t->texel_bytes,
                               t->wraps & 1);
    if (axes & 2)
        p.row = next_place(p.row, 1, t->height, t->wraps & 2);
    if (axes & 4)
        p.slice = next_place(p.slice, 1, t->depth, t->wraps & 4);
    return texel_address(t, p);
}

/* Requests of further lines, and further sectors of those there are from `from` on. */
static unsigned merge(struct strata_request *out, unsigned from, unsigned n,
                      const struct strata_request *more, unsigned n_more)
{
    for (unsigned i = 0; i < n_more; i++) {
        unsigned k = from;
        while (k < n && out[k].line != more[i].line)
            k++;
        if (k == n && n < STRATA_MAX_REQUESTS)
            out[n++] = more[i];
        else if (k < n)
            out[k].sectors |= more[i].sectors, out[k].lanes |= more[i].lanes;
    }
    return n;
}

/* Of each lane the texel and its neighbours on the axes it mixes, as the whole warp asks for them
 * (texture_filter_probe.cu: halfway between two columns, two rows and both, 8 floats of 4 rows are
 * 6, 6 and 9 sectors). */
static unsigned mixed_texels(const struct strata_coalescer *c,
                             const struct strata_launch_texture *t, const uint64_t *texel,
                             const struct lanes *of, unsigned axes, struct strata_request *out,
                             unsigned n)
{
    uint64_t addr[STRATA_WARP_SIZE] = {0};
    struct lanes a = {.mask = of->mask, .width = of->width, .addr = addr};
    struct strata_request more[2 * STRATA_WARP_SIZE];
    unsigned from = n;
    for (unsigned corner = 0; corner < 8; corner++) {
        if (corner & ~axes)
            continue;
        for (uint32_t rest = of->mask; rest; rest &= rest - 1) {
            unsigned lane = lowest_bit32(rest);
            addr[lane] = neighbour(t, texel[lane], corner);
        }
        n = merge(out, from, n, more, coalesce_group(c, &a, a.mask, more, 0));
    }
    return n;
}

/* Lanes that a filter takes together (texture_filter_probe.cu, float4: 8 texels of 4 rows are 8
 * requests of two sectors where one without a filter makes 4 of four). */
static unsigned lanes_of_a_pass(const struct strata_coalescer *c,
                                const struct strata_launch_texture *t)
{
    bool parts = t->filters && c->filter_bytes && t->texel_bytes > c->filter_bytes;
    unsigned lanes = parts ? STRATA_WARP_SIZE * c->filter_bytes / t->texel_bytes : STRATA_WARP_SIZE;
    return lanes ? lanes : 1;
}

unsigned coalesce_texture(const struct strata_coalescer *c, const struct strata_launch_texture *t,
                          const struct strata_winst *w, struct strata_request *out)
{
    uint64_t texel[STRATA_WARP_SIZE];
    struct lanes a = {.width = t->texel_bytes, .addr = texel};
    unsigned lanes = lanes_of_a_pass(c, t), n = 0;
    uint32_t pass = lanes < STRATA_WARP_SIZE ? (1u << lanes) - 1 : UINT32_MAX;
    strata_winst_addresses(w, texel);
    for (unsigned at = 0; at < STRATA_WARP_SIZE; at += lanes) {
        a.mask = w->mask & pass << at;
        if (w->inst->hints & STRATA_HINT_MIXED)
            n = mixed_texels(c, t, texel, &a, w->inst->hints >> STRATA_MIXED_SHIFT & 7, out, n);
        else
            n = coalesce_group(c, &a, a.mask, out, n);
    }
    return n;
}
