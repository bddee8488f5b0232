/* bulk_lines.c - the lines of memory that a bulk or tensor copy asks for, in its order. */
#include "memory/bulk_lines.h"

#include "base/bits.h"

static uint32_t count_along(const struct strata_bulk *b, unsigned i)
{
    return ((uint32_t)b->box[i] + b->element_stride[i] - 1) / b->element_stride[i];
}

void bulk_lines_begin(struct bulk_lines *l, const struct strata_bulk *bulk, uint32_t line_bytes)
{
    *l = (struct bulk_lines){.bulk = *bulk, .line_bytes = line_bytes, .rows = 1};
    if (bulk->kind == STRATA_BULK_SHARED) {
        l->rows = 0;
    } else if (!bulk->tensor) {
        l->rows = 0;
        l->at = bulk->global;
        l->end = bulk->global + bulk->bytes;
    } else if (bulk->im2col) {
        l->rows = bulk->pixels;
    } else {
        for (unsigned i = 1; i < bulk->rank; i++)
            l->rows *= count_along(bulk, i);
    }
    for (unsigned i = 0; i < STRATA_BULK_RANK; i++)
        l->pixel[i] = bulk->coordinate[i];
}

/* Address of the row's column 0; false: the row is outside. */
static bool tile_row(const struct bulk_lines *l, uint64_t *address)
{
    const struct strata_bulk *b = &l->bulk;
    uint64_t rest = l->row;
    *address = b->global;
    for (unsigned i = 1; i < b->rank; i++) {
        uint32_t n = count_along(b, i);
        int64_t at = b->coordinate[i] + (int64_t)(rest % n) * b->element_stride[i];
        rest /= n;
        if (at < 0 || (uint64_t)at >= b->size[i])
            return false;
        *address += (uint64_t)at * b->stride[i];
    }
    return true;
}

static bool pixel_row(struct bulk_lines *l, uint64_t *address)
{
    const struct strata_bulk *b = &l->bulk;
    unsigned spaces = b->rank >= 2 ? b->rank - 2u : 0;
    bool inside = true;
    *address = b->global;
    for (unsigned i = 1; i < b->rank; i++) {
        int64_t at = l->pixel[i] + (i <= spaces ? b->offset[i - 1] : 0);
        inside &= at >= 0 && (uint64_t)at < b->size[i];
        *address += (uint64_t)at * b->stride[i];
    }
    for (unsigned i = 1; i <= spaces && i <= 3; i++) {
        l->pixel[i] += b->element_stride[i];
        if (l->pixel[i] <= (int64_t)b->size[i] - 1 + b->upper[i - 1])
            break;
        l->pixel[i] = b->lower[i - 1];
        if (i == spaces)
            l->pixel[i + 1]++;
    }
    return inside;
}

static void next_row(struct bulk_lines *l)
{
    const struct strata_bulk *b = &l->bulk;
    uint64_t address;
    bool inside = b->im2col ? pixel_row(l, &address) : tile_row(l, &address);
    int64_t first = b->coordinate[0], last = first + b->box[0];
    int64_t size = (int64_t)b->size[0];
    l->row++;
    first = first < 0 ? 0 : first;
    last = last > size ? size : last;
    if (!inside || first >= last)
        return;
    l->at = address + (uint64_t)first * b->element_bytes;
    l->end = address + (uint64_t)last * b->element_bytes;
}

bool bulk_lines_next(struct bulk_lines *l, uint64_t *line, uint32_t *from, uint32_t *to)
{
    while (l->at >= l->end) {
        if (l->row >= l->rows)
            return false;
        next_row(l);
    }
    *line = l->at & ~(uint64_t)(l->line_bytes - 1);
    uint64_t stop = *line + l->line_bytes < l->end ? *line + l->line_bytes : l->end;
    *from = (uint32_t)(l->at - *line);
    *to = (uint32_t)(stop - *line);
    l->at = stop;
    return true;
}

bool bulk_of_winst(const struct strata_winst *w, struct strata_bulk *out)
{
    uint64_t words[STRATA_WARP_SIZE];
    if (!w->mask || w->addr_kind == STRATA_ADDR_NONE)
        return false;
    strata_winst_addresses(w, words);
    return strata_bulk_unpack(words, popcount32(w->mask), out);
}
