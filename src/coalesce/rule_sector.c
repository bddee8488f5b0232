/* rule_sector.c - Maxwell and later: 128-byte lines of 32-byte sectors.
 *
 * The whole warp is looked at together, whatever the width: the sectors of a request are the
 * distinct ones its lanes touch. On an H200 that gives the profiler's sectors of loads and stores
 * exactly, 16-byte accesses included. (The groups of eight lanes in which the hardware moves the
 * data of 16-byte accesses show in time and in shared-memory passes, not in these counts.) */
#include "coalesce/coalesce.h"

unsigned coalesce_sector_rule(const struct strata_coalescer *c, const struct lanes *a,
                              struct strata_request *out)
{
    return coalesce_group(c, a, a->mask, out, 0);
}
