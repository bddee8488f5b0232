/* coalesce.c - one warp access to requests: the part that all rules share. */
#include "coalesce/coalesce.h"

#include <string.h>

static uint32_t power_of_two_shift(uint64_t bytes, uint32_t least, uint32_t other)
{
    return (uint32_t)log2_floor(is_power_of_two(bytes) && bytes >= least ? bytes : other);
}

/* Compute capabilities 3.x have banks of 8 bytes. In 4-byte mode they hold words i and i + 32 of an
 * aligned run of 64 words side by side and deliver both at once (paper 002, section 6.2). */
static bool is_kepler(const struct strata_gpu *gpu)
{
    return gpu->sm_version >= 30 && gpu->sm_version < 40;
}

void strata_coalescer_init(struct strata_coalescer *c, const struct strata_gpu *gpu,
                           const struct strata_launch *launch)
{
    memset(c, 0, sizeof *c);
    c->rule = gpu->coalesce.rule;
    c->line_shift = power_of_two_shift(gpu->l1.cache.line_bytes, 32, 128);
    c->sector_shift = power_of_two_shift(gpu->l1.cache.sector_bytes, 1, 32);
    if (c->rule == STRATA_COALESCE_FERMI || c->sector_shift > c->line_shift)
        c->sector_shift = c->line_shift;
    if (c->line_shift - c->sector_shift > 4) /* a request has room for 32 sector bits */
        c->sector_shift = c->line_shift - 4;
    c->banks =
        is_power_of_two(gpu->shared.banks) && gpu->shared.banks <= 32 ? gpu->shared.banks : 32;
    c->bank_shift = gpu->shared.bank_mode == STRATA_BANKS_8B ? 3 : 2;
    c->bank_rows = is_kepler(gpu) && gpu->shared.bank_mode == STRATA_BANKS_4B ? 2 : 1;
    c->merge_phases = gpu->sm_version >= 70;
    c->local_window = launch ? launch->local_base : 0;
    c->local_warp = gpu->sm.local_warp_bytes;
    c->filter_bytes = gpu->l1.texture_filter_bytes;
    c->launch = launch && launch->n_textures ? launch : NULL;
}

/* A small hash from line number to request: a bit per used slot, so that clearing it is free. */
struct line_table {
    uint64_t used[2];
    uint8_t request[128];
};

static inline struct strata_request *find_or_add(struct line_table *t, uint64_t line,
                                                 unsigned line_shift, struct strata_request *out,
                                                 unsigned *n)
{
    unsigned slot = (unsigned)(line * 0x9e3779b97f4a7c15ull >> 57);
    while (t->used[slot >> 6] >> (slot & 63) & 1) {
        if (out[t->request[slot]].line == line << line_shift)
            return &out[t->request[slot]];
        slot = (slot + 1) & 127;
    }
    t->used[slot >> 6] |= (uint64_t)1 << (slot & 63);
    t->request[slot] = (uint8_t)*n;
    out[*n] = (struct strata_request){line << line_shift, 0, 0};
    return &out[(*n)++];
}

/* Sectors of bytes [offset, offset + width) of a line. */
static inline uint32_t bits_inside(const struct strata_coalescer *c, uint32_t offset,
                                   uint32_t width)
{
    uint32_t low = offset >> c->sector_shift, high = (offset + width - 1) >> c->sector_shift;
    return (2u << high) - (1u << low);
}

/* A run of lanes side by side, each on a multiple of its width: line by line. */
static void group_run(const struct strata_coalescer *c, struct line_table *table, uint64_t base,
                      unsigned first, unsigned n_lanes, uint32_t width, struct strata_request *out,
                      unsigned *n)
{
    uint64_t last = base + (uint64_t)n_lanes * width - 1, end = last >> c->line_shift;
    unsigned shift = log2_floor(width), lane = first;
    for (uint64_t line = base >> c->line_shift; line <= end; line++) {
        uint64_t to = line == end ? last : ((line + 1) << c->line_shift) - 1;
        unsigned next = first + (unsigned)((to + 1 - base) >> shift);
        struct strata_request *r = find_or_add(table, line, c->line_shift, out, n);
        r->lanes |= (uint32_t)(((uint64_t)1 << next) - ((uint64_t)1 << lane));
        r->sectors |= sector_bits(c, line, base, last);
        lane = next;
    }
}

/* A warp whose lanes are a few such runs; false: it is not. */
static bool group_rows(const struct strata_coalescer *c, const struct lanes *a,
                       struct strata_request *out, unsigned *n)
{
    struct line_table table = {.used = {0, 0}};
    uint32_t ends = run_ends(a->addr, a->width);
    unsigned first = 0;
    if (popcount32(ends) > FEW_RUNS || !is_power_of_two(a->width))
        return false;
    for (uint32_t rest = ends; rest; first = lowest_bit32(rest) + 1, rest &= rest - 1) {
        uint64_t at = a->addr[first], warp_bytes = STRATA_WARP_SIZE * a->width;
        if (at & (a->width - 1) || at > UINT64_MAX - warp_bytes) /* or the space ends in it */
            return false;
    }
    first = 0;
    for (uint32_t rest = ends; rest; rest &= rest - 1) {
        unsigned n_lanes = lowest_bit32(rest) + 1 - first;
        group_run(c, &table, a->addr[first], first, n_lanes, a->width, out, n);
        first += n_lanes;
    }
    return true;
}

/* Any addresses. Neighbouring lanes mostly share a line, so the line of the lane before is tried
 * first. */
static unsigned group_list(const struct strata_coalescer *c, const struct lanes *a, uint32_t mask,
                           struct strata_request *out, unsigned n)
{
    const uint32_t line_bytes = 1u << c->line_shift, width = a->width;
    struct line_table table = {.used = {0, 0}};
    unsigned count = 0;
    struct strata_request *last = NULL;
    out += n;
    if (mask == UINT32_MAX && group_rows(c, a, out, &count))
        return n + count;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        uint64_t line = a->addr[lane] >> c->line_shift;
        uint32_t offset = (uint32_t)(a->addr[lane] & (line_bytes - 1));
        uint32_t here = offset + width <= line_bytes ? width : line_bytes - offset;
        if (!last || last->line != line << c->line_shift)
            last = find_or_add(&table, line, c->line_shift, out, &count);
        last->lanes |= 1u << lane;
        last->sectors |= bits_inside(c, offset, here);
        if (here < width && (line + 1)
                                << c->line_shift) { /* the rest, unless the space ends here */
            last = find_or_add(&table, line + 1, c->line_shift, out, &count);
            last->lanes |= 1u << lane;
            last->sectors |= bits_inside(c, 0, width - here);
        }
    }
    return n + count;
}

/* Addresses that only rise or only fall: a line that comes again is among the last three (a lane
 * touches at most two, and the first of its neighbour is one of those or a new one). */
static inline unsigned find_recent(struct strata_request *out, unsigned start, unsigned n,
                                   uint64_t line, unsigned *at)
{
    for (unsigned i = n, end = n > start + 3 ? n - 3 : start; i > end; i--)
        if (out[i - 1].line == line) {
            *at = i - 1;
            return n;
        }
    out[n] = (struct strata_request){line, 0, 0};
    *at = n;
    return n + 1;
}

static unsigned group_monotone(const struct strata_coalescer *c, const struct lanes *a,
                               uint32_t mask, struct strata_request *out, unsigned n)
{
    const uint64_t line_mask = ((uint64_t)1 << c->line_shift) - 1;
    const uint32_t width = a->width;
    unsigned start = n, at = n;
    uint64_t address = lane_address(a, 0);
    for (unsigned lane = 0; mask >> lane; lane++, address += (uint64_t)a->stride) {
        if (!(mask >> lane & 1))
            continue;
        uint64_t line = address & ~line_mask;
        uint32_t offset = (uint32_t)(address & line_mask);
        uint32_t here =
            offset + width <= line_mask + 1 ? width : (uint32_t)(line_mask + 1 - offset);
        if (at >= n || out[at].line != line)
            n = find_recent(out, start, n, line, &at);
        out[at].lanes |= 1u << lane;
        out[at].sectors |= bits_inside(c, offset, here);
        if (here < width) {
            n = find_recent(out, start, n, line + line_mask + 1, &at);
            out[at].lanes |= 1u << lane;
            out[at].sectors |= bits_inside(c, 0, width - here);
        }
        if (lane == 31)
            break;
    }
    return n;
}

/* Lanes of the run that start at or before `to` and end at or after `from`. */
static uint32_t lanes_between(const struct lanes *a, unsigned n_lanes, uint64_t from, uint64_t to)
{
    uint32_t low = 0, high = n_lanes - 1;
    if (from > a->base + a->width - 1)
        low = (uint32_t)((from - (a->base + a->width - 1) + (uint64_t)a->stride - 1) /
                         (uint64_t)a->stride);
    if (to - a->base < (uint64_t)(n_lanes - 1) * (uint64_t)a->stride)
        high = (uint32_t)((to - a->base) / (uint64_t)a->stride);
    return (uint32_t)((((uint64_t)2 << high) - 1) & ~(((uint64_t)1 << low) - 1));
}

/* A run of lanes without gaps, each beginning where the one before ends or earlier: the bytes from
 * the first to the last are all touched, so only the lines count. */
static unsigned group_dense(const struct strata_coalescer *c, const struct lanes *a, unsigned first,
                            unsigned n_lanes, struct strata_request *out, unsigned n)
{
    struct lanes run = *a;
    run.base = lane_address(a, first);
    uint64_t last_byte = run.base + (uint64_t)(n_lanes - 1) * (uint64_t)run.stride + run.width - 1;
    uint64_t line = run.base >> c->line_shift, end = last_byte >> c->line_shift;
    bool one = line == end;
    for (; line <= end; line++, n++) {
        out[n].line = line << c->line_shift;
        out[n].sectors = sector_bits(c, line, run.base, last_byte);
        uint32_t lanes = one || !run.stride
                             ? (uint32_t)(((uint64_t)1 << n_lanes) - 1)
                             : lanes_between(&run, n_lanes, out[n].line,
                                             out[n].line + ((uint64_t)1 << c->line_shift) - 1);
        out[n].lanes = lanes << first;
    }
    return n;
}

/* Lanes a multiple of a line apart, each within its line: a request of the same sectors for each.
 */
static unsigned group_columns(const struct strata_coalescer *c, const struct lanes *a,
                              uint32_t mask, struct strata_request *out, unsigned n)
{
    uint32_t offset = (uint32_t)(lane_address(a, 0) & (((uint64_t)1 << c->line_shift) - 1)),
             sectors = bits_inside(c, offset, a->width);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        out[n++] = (struct strata_request){lane_address(a, lane) - offset, sectors, 1u << lane};
    }
    return n;
}

static bool is_columns(const struct strata_coalescer *c, const struct lanes *a)
{
    uint64_t line_mask = ((uint64_t)1 << c->line_shift) - 1;
    return a->stride && !((uint64_t)a->stride & line_mask) &&
           (lane_address(a, 0) & line_mask) + a->width <= line_mask + 1;
}

/* The address space ends among the lanes, so their addresses neither only rise nor only fall. */
static unsigned group_wrapping(const struct strata_coalescer *c, const struct lanes *a,
                               uint32_t mask, struct strata_request *out, unsigned n)
{
    uint64_t addr[STRATA_WARP_SIZE] = {0};
    struct lanes listed = {.mask = a->mask, .width = a->width, .addr = addr};
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        addr[lowest_bit32(rest)] = lane_address(a, lowest_bit32(rest));
    return group_list(c, &listed, mask, out, n);
}

unsigned coalesce_group(const struct strata_coalescer *c, const struct lanes *a, uint32_t mask,
                        struct strata_request *out, unsigned n)
{
    if (!mask)
        return n;
    if (!a->affine)
        return group_list(c, a, mask, out, n);
    unsigned first = lowest_bit32(mask), last = log2_floor(mask), n_lanes = popcount32(mask);
    uint64_t from = lane_address(a, first), to = lane_address(a, last) + a->width - 1;
    if (a->stride >= 0 ? to < from : from + a->width - 1 < lane_address(a, last))
        return group_wrapping(c, a, mask, out, n);
    if (a->stride >= 0 && a->stride <= (int64_t)a->width && last - first + 1 == n_lanes)
        return group_dense(c, a, first, n_lanes, out, n);
    if (is_columns(c, a))
        return group_columns(c, a, mask, out, n);
    return group_monotone(c, a, mask, out, n);
}

/* What most accesses are, as group_dense finds it: lanes without a gap, each beginning where the
 * one before ends or earlier, and all in one line. */
static bool is_one_line(const struct strata_coalescer *c, const struct strata_winst *w,
                        struct strata_request *out)
{
    uint32_t width = w->inst->width_bytes, first = lowest_bit32(w->mask), run = w->mask >> first;
    if (w->addr_kind != STRATA_ADDR_STRIDE || w->stride < 0 || (uint64_t)w->stride > width ||
        run & (run + 1) || width > 32 || w->inst->space != STRATA_SPACE_GLOBAL ||
        c->rule == STRATA_COALESCE_FERMI || c->rule == STRATA_COALESCE_OCTET)
        return false;
    uint64_t last = w->base + (uint64_t)log2_floor(run) * (uint64_t)w->stride + width - 1;
    if ((w->base ^ last) >> c->line_shift || !width)
        return false;
    uint64_t line = w->base >> c->line_shift;
    *out = (struct strata_request){line << c->line_shift, sector_bits(c, line, w->base, last),
                                   w->mask};
    return true;
}

unsigned strata_coalesce(const struct strata_coalescer *c, const struct strata_winst *w,
                         uint64_t local_base, struct strata_request out[STRATA_MAX_REQUESTS])
{
    if (!w->mask || w->addr_kind == STRATA_ADDR_NONE)
        return 0;
    if (is_one_line(c, w, out))
        return 1;
    struct lanes a = {
        .mask = w->mask, .width = w->inst->width_bytes ? w->inst->width_bytes : 4, .addr = w->addr};
    if (a.width > 32)
        a.width = 32; /* no lane moves more; keeps a lane within two lines */
    if (w->addr_kind == STRATA_ADDR_STRIDE) {
        a.affine = true;
        a.first = lowest_bit32(w->mask);
        a.base = w->base;
        a.stride = w->stride;
    }
    const struct strata_launch_texture *t = strata_coalescer_texture(c, w);
    if (t)
        return coalesce_texture(c, t, w, out);
    if (w->inst->space == STRATA_SPACE_LOCAL)
        return coalesce_local(c, &a, local_base, out);
    switch (c->rule) {
    case STRATA_COALESCE_FERMI:
        return coalesce_fermi_rule(c, &a, out);
    case STRATA_COALESCE_OCTET:
        return coalesce_octet_rule(c, &a, out);
    default:
        return coalesce_sector_rule(c, &a, out);
    }
}

unsigned strata_count_sectors(const struct strata_request *request, unsigned n)
{
    unsigned sectors = 0;
    for (unsigned i = 0; i < n; i++)
        sectors += popcount32(request[i].sectors);
    return sectors;
}
