/* list.c - lane addresses that do not lie on one line: three forms, the smallest is written. */
#include <string.h>

#include "base/bits.h"
#include "trace/bytecode.h"

struct grid {
    unsigned row_log2;
    int64_t inner, outer; /* distance of neighbouring lanes of a row, and of rows */
};

static uint64_t grid_address(const struct grid *g, uint64_t base, unsigned first, unsigned lane)
{
    uint64_t row = (lane >> g->row_log2) - (first >> g->row_log2);
    uint64_t in_row = (lane & ((1u << g->row_log2) - 1)) - (first & ((1u << g->row_log2) - 1));
    in_row = (uint64_t)(int64_t)(int32_t)in_row; /* may be negative */
    return base + in_row * (uint64_t)g->inner + row * (uint64_t)g->outer;
}

/* Distances from the first lanes that tell them, then a look whether all lanes agree. */
static bool find_grid(struct grid *g, uint32_t mask, const uint64_t *addr)
{
    unsigned first = lowest_bit32(mask), row_mask = (1u << g->row_log2) - 1;
    bool has_inner = false, has_outer = false;
    g->inner = g->outer = 0;
    for (uint32_t rest = mask & (mask - 1); rest && !(has_inner && has_outer); rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        unsigned before = 31u - (unsigned)__builtin_clz(mask & ((1u << lane) - 1));
        if (!has_inner && (lane & ~row_mask) == (before & ~row_mask)) {
            g->inner = (int64_t)(addr[lane] - addr[before]) / (int64_t)(lane - before);
            has_inner = true;
        } else if (!has_outer && (lane & ~row_mask) != (before & ~row_mask)) {
            int64_t in_row = (int64_t)(lane & row_mask) - (int64_t)(before & row_mask);
            uint64_t distance = addr[lane] - addr[before] - (uint64_t)in_row * (uint64_t)g->inner;
            g->outer =
                (int64_t)distance / (int64_t)((lane >> g->row_log2) - (before >> g->row_log2));
            has_outer = true;
        }
    }
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        if (addr[lane] != grid_address(g, addr[first], first, lane))
            return false;
    }
    return true;
}

static size_t write_grid(uint8_t *at, uint32_t mask, const uint64_t *addr)
{
    struct grid g;
    for (g.row_log2 = 4; g.row_log2 >= 1; g.row_log2--) {
        if (!find_grid(&g, mask, addr))
            continue;
        uint8_t *start = at;
        *at++ = (uint8_t)(LIST_GRID | g.row_log2);
        at = varint_write(at, zigzag(g.inner));
        at = varint_write(at, zigzag(g.outer));
        return (size_t)(at - start);
    }
    return 0;
}

static unsigned common_shift(uint64_t any)
{
    unsigned shift = any ? (unsigned)__builtin_ctzll(any) : 0;
    return shift > 15 ? 15 : shift;
}

static size_t write_steps(uint8_t *at, uint32_t mask, const uint64_t *addr)
{
    uint64_t coded[STRATA_WARP_SIZE], any = 0, before = addr[lowest_bit32(mask)];
    unsigned n = 0;
    for (uint32_t rest = mask & (mask - 1); rest; rest &= rest - 1) {
        uint64_t here = addr[lowest_bit32(rest)];
        any |= coded[n++] = here - before;
        before = here;
    }
    unsigned shift = common_shift(any);
    any = 0;
    for (unsigned i = 0; i < n; i++)
        any |= coded[i] = zigzag((int64_t)coded[i] >> shift);
    unsigned width = any ? (log2_floor(any) + 8) / 8 : 1;
    *at++ = (uint8_t)((width - 1) | shift << 3);
    for (unsigned i = 0; i < n; i++)
        store_le(at + i * width, coded[i], width);
    return 1 + (size_t)n * width;
}

/* Returns 0 without writing if it would take `limit` bytes or more. */
static size_t write_packed(uint8_t *at, uint32_t mask, const uint64_t *addr, size_t limit)
{
    uint64_t smallest = UINT64_MAX, any = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        if (addr[lowest_bit32(rest)] < smallest)
            smallest = addr[lowest_bit32(rest)];
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        any |= addr[lowest_bit32(rest)] - smallest;
    unsigned shift = common_shift(any);
    unsigned bits = log2_floor(any >> shift) + 1;
    size_t n = 2 + (popcount32(mask) * bits + 7) / 8;
    if (bits > LIST_PACKED_MAX_BITS || n >= limit)
        return 0;
    *at = (uint8_t)(LIST_PACKED | shift);
    at[1] = (uint8_t)bits;
    uint64_t pending = 0;
    unsigned n_pending = 0;
    uint8_t *out = at + 2;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        pending |= ((addr[lowest_bit32(rest)] - smallest) >> shift) << n_pending;
        for (n_pending += bits; n_pending >= 8; n_pending -= 8, pending >>= 8)
            *out++ = (uint8_t)pending;
    }
    if (n_pending)
        *out++ = (uint8_t)pending;
    return n;
}

size_t list_write(uint8_t *at, uint32_t mask, const uint64_t *addr)
{
    uint8_t grid[1 + 2 * MAX_VARINT_BYTES];
    size_t n = write_steps(at, mask, addr), n_grid = write_grid(grid, mask, addr);
    if (n_grid && n_grid < n) {
        memcpy(at, grid, n_grid);
        return n_grid;
    }
    size_t n_packed = write_packed(at, mask, addr, n);
    return n_packed ? n_packed : n;
}

/* grid_address of every lane of a warp. */
static void whole_grid(const struct grid *g, uint64_t base, uint64_t *addr)
{
    for (unsigned lane = 0; lane < STRATA_WARP_SIZE; base += (uint64_t)g->outer) {
        uint64_t at = base;
        for (unsigned k = 0; k < 1u << g->row_log2; k++, at += (uint64_t)g->inner)
            addr[lane++] = at;
    }
}

static const uint8_t *read_grid(const uint8_t *at, uint32_t mask, uint64_t base, uint64_t *addr)
{
    struct grid g = {.row_log2 = *at++ & 7u};
    uint64_t inner, outer;
    at = varint_read(at, &inner);
    at = varint_read(at, &outer);
    g.inner = unzigzag(inner);
    g.outer = unzigzag(outer);
    if (mask == UINT32_MAX) {
        whole_grid(&g, base, addr);
        return at;
    }
    unsigned first = lowest_bit32(mask);
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        addr[lowest_bit32(rest)] = grid_address(&g, base, first, lowest_bit32(rest));
    return at;
}

static const uint8_t *read_packed(const uint8_t *at, uint32_t mask, uint64_t base, uint64_t *addr)
{
    unsigned shift = *at & 15u, bits = at[1];
    uint64_t keep = ~0ull >> (64 - bits);
    unsigned at_bit = 0;
    at += 2;
    uint64_t smallest = base - ((load_le64(at) & keep) << shift);
    for (uint32_t rest = mask; rest; rest &= rest - 1, at_bit += bits)
        addr[lowest_bit32(rest)] =
            smallest + ((load_le64(at + at_bit / 8) >> at_bit % 8 & keep) << shift);
    return at + (at_bit + 7) / 8;
}

static const uint8_t *read_steps(const uint8_t *at, uint32_t mask, uint64_t base, uint64_t *addr)
{
    unsigned width = (*at & 7u) + 1, shift = *at >> 3;
    uint64_t keep = ~0ull >> (64 - 8 * width);
    at++;
    addr[lowest_bit32(mask)] = base;
    for (uint32_t rest = mask & (mask - 1); rest; rest &= rest - 1) {
        base += (uint64_t)unzigzag(load_le64(at) & keep) << shift;
        at += width;
        addr[lowest_bit32(rest)] = base;
    }
    return at;
}

const uint8_t *list_read(const uint8_t *at, uint32_t mask, uint64_t base, uint64_t *addr)
{
    if (mask != UINT32_MAX)
        memset(addr, 0, STRATA_WARP_SIZE * sizeof *addr);
    if (*at < LIST_GRID)
        return read_steps(at, mask, base, addr);
    if (*at < LIST_PACKED)
        return read_grid(at, mask, base, addr);
    return read_packed(at, mask, base, addr);
}

static size_t grid_size_checked(const uint8_t *at, const uint8_t *end)
{
    uint64_t value;
    const uint8_t *start = at;
    unsigned row_log2 = *at & 63u;
    if (row_log2 < 1 || row_log2 > 4)
        return 0;
    at = varint_read_checked(at + 1, end, &value);
    if (at)
        at = varint_read_checked(at, end, &value);
    return at ? (size_t)(at - start) : 0;
}

size_t list_size_checked(const uint8_t *at, const uint8_t *end, unsigned lanes)
{
    size_t n;
    if (at >= end)
        return 0;
    if (*at < LIST_GRID) {
        n = 1 + (size_t)(lanes - 1) * ((*at & 7u) + 1);
    } else if (*at < LIST_PACKED) {
        n = grid_size_checked(at, end);
    } else {
        if (*at >= LIST_PACKED + 16 || end - at < 2 || at[1] < 1 || at[1] > LIST_PACKED_MAX_BITS)
            return 0;
        n = 2 + ((size_t)lanes * at[1] + 7) / 8;
    }
    return n <= (size_t)(end - at) ? n : 0;
}
