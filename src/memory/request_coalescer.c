/* request_coalescer.c - the table of lines on their way. */
#include "memory/request_coalescer.h"

#include <stdlib.h>
#include <string.h>

/* Entries for so many lines, of which 0 is any number. */
static uint32_t entries_for(uint32_t lines)
{
    uint32_t n = lines ? 1 : 8192;
    while (n < lines)
        n *= 2;
    return n;
}

strata_status request_coalescer_init(struct request_coalescer *c, const struct strata_gpu *gpu,
                                     struct strata_error *err)
{
    uint32_t scope = gpu->xbar.request_coalescer_scope, lines = gpu->xbar.request_coalescer_lines,
             bulk = gpu->xbar.coalescer_bulk_lines;
    *c = (struct request_coalescer){.n_groups = scope ? (uint32_t)ceil_div(gpu->sm.count, scope)
                                                      : address_map_gpcs(gpu),
                                    .one_part = gpu->xbar.coalescer_one_part,
                                    .lines = entries_for(lines),
                                    .bulk_lines = entries_for(bulk ? bulk : lines)};
    c->size = c->lines > c->bulk_lines ? c->lines : c->bulk_lines;
    if (!gpu->xbar.request_coalescer_window_cycles && !gpu->xbar.coalescer_return_cycles)
        return STRATA_OK;
    c->open = calloc((size_t)c->n_groups * c->size, sizeof *c->open);
    bool sides = gpu->xbar.coalescer_side && c->one_part;
    if (sides)
        c->asked = calloc((size_t)(gpu->l2.partitions ? gpu->l2.partitions : 1) * c->lines,
                          sizeof *c->asked);
    return c->open && (c->asked || !sides)
               ? STRATA_OK
               : strata_no_memory(err, NULL, "for the request coalescers");
}

void request_coalescer_release(struct request_coalescer *c)
{
    free(c->open);
    free(c->asked);
    memset(c, 0, sizeof *c);
}
