/* line_bytes.c - from lanes to bytes of a line. */
#include "memory/line_bytes.h"

static uint32_t width_of(const struct strata_winst *w)
{
    uint32_t width = w->inst->width_bytes ? w->inst->width_bytes : 4;
    return width > 32 ? 32 : width;
}

/* The part of [from, to) that lies in the line. */
static void set_inside(struct line_bytes *out, uint64_t line, uint32_t line_bytes, uint64_t from,
                       uint64_t to)
{
    uint64_t first = from > line ? from - line : 0, end = to > line ? to - line : 0;
    if (end > line_bytes)
        end = line_bytes;
    if (first < end)
        line_bytes_set(out, (uint32_t)first, (uint32_t)end);
}

static void set_local(struct line_bytes *out, const struct strata_winst *w,
                      const struct strata_request *r, uint32_t line_bytes)
{
    uint32_t width = width_of(w);
    for (uint32_t l = r->lanes; l; l &= l - 1) {
        uint32_t lane = lowest_bit32(l), at = lane * 4 & (line_bytes - 1);
        if (width < 4)
            at += (uint32_t)(line_bytes_address(w, lane) & 3);
        line_bytes_set(out, at, at + (width < 4 ? width : 4));
    }
}

void line_bytes_of(struct line_bytes *out, const struct strata_winst *w,
                   const struct strata_request *r, uint32_t line_bytes)
{
    uint32_t width = width_of(w);
    memset(out, 0, sizeof *out);
    if (w->inst->space == STRATA_SPACE_LOCAL) {
        set_local(out, w, r, line_bytes);
        return;
    }
    /* Lanes side by side without a gap touch one run of bytes. Only those of the request count: a
     * line that several groups of lanes ask for (rule_octet.c) has a request of each. */
    uint32_t low = lowest_bit32(r->lanes), run = r->lanes >> low;
    if (w->addr_kind == STRATA_ADDR_STRIDE && w->stride >= 0 && (uint32_t)w->stride <= width &&
        r->lanes && !(((uint64_t)run + 1) & run)) {
        set_inside(out, r->line, line_bytes, line_bytes_address(w, low),
                   line_bytes_address(w, log2_floor(r->lanes)) + width);
        return;
    }
    for (uint32_t l = r->lanes; l; l &= l - 1) {
        uint64_t from = line_bytes_address(w, lowest_bit32(l));
        set_inside(out, r->line, line_bytes, from, from + width);
    }
}
