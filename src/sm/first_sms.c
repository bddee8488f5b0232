/* first_sms.c - how many SMs of each GPC begin with a launch. */
#include "sm/first_sms.h"

#include <stdlib.h>
#include <strata/place.h>

#include "memory/address_map.h"

strata_status sm_first_sms(const struct strata_gpu *gpu, uint64_t blocks, uint32_t **sms,
                           struct strata_error *err)
{
    uint32_t gpcs = address_map_gpcs(gpu),
             n = blocks < gpu->sm.count ? (uint32_t)blocks : gpu->sm.count;
    *sms = NULL;
    if (gpu->launch.schedulers_apart <= 0)
        return STRATA_OK;
    uint32_t *of_gpc = calloc(gpcs + 2 * (size_t)n, sizeof *of_gpc);
    if (!of_gpc)
        return strata_no_memory(err, NULL, "for the first blocks of a launch");
    uint32_t *sm = of_gpc + gpcs;
    strata_status st = strata_place_blocks(gpu, n, 1, STRATA_PLACE_DISPATCH, sm, sm + n, err);
    for (uint32_t b = 0; b < n && st == STRATA_OK; b++)
        of_gpc[address_map_gpc(gpu, sm[b])]++;
    if (st == STRATA_OK)
        *sms = of_gpc;
    else
        free(of_gpc);
    return st;
}
