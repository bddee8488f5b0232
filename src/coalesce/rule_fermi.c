/* rule_fermi.c - compute capability 2.x: 128-byte lines, fetched whole.
 *
 * A warp's accesses of up to 4 bytes a lane are coalesced together; 8-byte accesses by half warp
 * and 16-byte accesses by quarter warp, each group on its own (paper 000, section 3). */
#include "coalesce/coalesce.h"

unsigned coalesce_fermi_rule(const struct strata_coalescer *c, const struct lanes *a,
                             struct strata_request *out)
{
    unsigned group_lanes = a->width <= 4 ? 32 : a->width <= 8 ? 16 : 8;
    uint32_t group = (uint32_t)(((uint64_t)1 << group_lanes) - 1);
    unsigned n = 0;
    for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane += group_lanes)
        n = coalesce_group(c, a, a->mask & group << lane, out, n);
    return n;
}
