/* rule_octet.c - Volta as paper 004 (section III-A) found it: sectors of 32 bytes, and each group
 * of eight lanes coalesced on its own, so that a line or sector wanted by several groups is asked
 * for by each. An H200 does not count that way (see rule_sector.c). */
#include "coalesce/coalesce.h"

unsigned coalesce_octet_rule(const struct strata_coalescer *c, const struct lanes *a,
                             struct strata_request *out)
{
    unsigned n = 0;
    for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane += 8)
        n = coalesce_group(c, a, a->mask & 0xffu << lane, out, n);
    return n;
}
