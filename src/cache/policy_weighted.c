/* policy_weighted.c - each way is the victim with its own probability (paper 002 found 1/6, 1/2,
 * 1/6, 1/6 for the four ways of Fermi's L1). Without weights all ways are alike. */
#include "cache/policy_files.h"

uint32_t weighted_victim(struct cache *c, uint32_t set)
{
    uint32_t first = c->set_start[set], size = c->set_start[set + 1] - first,
             n = c->config.n_way_weight;
    double sum = 0, at = (double)cache_random(c) / 4294967296.0;
    if (n > size)
        n = size;
    for (uint32_t w = 0; w < n; w++)
        sum += c->config.way_weight[w];
    if (!(sum > 0))
        return first + (uint32_t)(at * size);
    at *= sum;
    for (uint32_t w = 0; w < n; w++) {
        at -= c->config.way_weight[w];
        if (at < 0)
            return first + w;
    }
    return first + n - 1;
}
