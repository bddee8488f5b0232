/* cluster_places.c - where the blocks of a launch in clusters go.
 *
 * Found from the SM of every block in 35 launches on an H200 (device/hopper/order.cu, grids of
 * tests/data/clusters-h200.txt):
 *
 *  1. A cluster lies in one GPC, one block to an SM, and begins when there is room for all of it.
 *     Each TPC outside full GPCs (the "singles" of gpu->launch.order) is a GPC of its own: it holds
 *     clusters of two, and none that are larger.
 *  2. Singles come first, then the GPCs by turns, one cluster each, where blocks without clusters
 *     fill one GPC after the other. Whose turn it is when a launch begins is what the launch before
 *     left.
 *  3. A GPC gives the SMs that hold the fewest blocks, first those that stand first in the order.
 *     No SM gets a second block while any GPC has a cluster's worth of SMs that have none.
 *  4. Where there are fewer clusters than places, GPCs are allotted them in the order of their
 *     numbers, and served by turns with what they were allotted.
 */
#include <string.h>

#include "place/place.h"

static void add_group(struct cluster_places *p)
{
    uint32_t n = p->n_groups++;
    p->first[n + 1] = p->first[n];
}

void cluster_places_init(struct cluster_places *p, const struct strata_gpu *gpu, uint32_t size,
                         uint32_t blocks_per_sm)
{
    uint32_t n = sm_count(gpu), singles = gpu->launch.singles < n ? gpu->launch.singles : 0;
    memset(p, 0, sizeof *p);
    p->size = size;
    p->blocks_per_sm = blocks_per_sm;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t sm = sm_in_order(gpu, i), before = i ? sm_in_order(gpu, i - 1) : sm;
        bool same_tpc = sm % 2 == 1 && before == sm - 1;
        if (i == 0 || i == singles ||
            (i < singles ? !same_tpc : gpc_in_order(gpu, sm) != gpc_in_order(gpu, before)))
            add_group(p);
        if (i < singles)
            p->n_singles = p->n_groups;
        p->sm[p->first[p->n_groups]++] = (uint16_t)sm;
        p->group[sm] = (uint16_t)(p->n_groups - 1);
        p->free[sm] = (uint16_t)blocks_per_sm;
    }
}

/* Whether `size` SMs of a group have at least `level` places left. */
static bool has_room(const struct cluster_places *p, const uint16_t *left, uint32_t group,
                     uint32_t level)
{
    uint32_t n = 0;
    for (uint32_t i = p->first[group]; i < p->first[group + 1]; i++)
        n += left[p->sm[i]] >= level;
    return n >= p->size;
}

/* The SMs of the next cluster of a group that has room: rule 3. */
static void take(const struct cluster_places *p, uint16_t *left, uint32_t group, uint16_t *out)
{
    bool taken[STRATA_MAX_SMS] = {false};
    uint32_t n = 0, from = p->first[group], to = p->first[group + 1];
    for (uint32_t places = p->blocks_per_sm; places && n < p->size; places--)
        for (uint32_t i = from; i < to && n < p->size; i++)
            if (left[p->sm[i]] == places) {
                taken[i] = true;
                n++;
            }
    for (uint32_t i = from; i < to; i++)
        if (taken[i]) {
            left[p->sm[i]]--;
            *out++ = p->sm[i];
        }
}

/* How many of n clusters each GPC gets while SMs have `level` places left: rule 4. */
static uint64_t allot(const struct cluster_places *p, uint64_t n, uint32_t level, uint32_t *share)
{
    uint16_t left[STRATA_MAX_SMS], ignored[CLUSTER_MOST_BLOCKS];
    uint64_t allotted = 0;
    memcpy(left, p->free, sizeof left);
    for (bool any = true; any && allotted < n;) {
        any = false;
        for (uint32_t g = p->n_singles; g < p->n_groups && allotted < n; g++)
            if (has_room(p, left, g, level)) {
                take(p, left, g, ignored);
                share[g]++;
                allotted++;
                any = true;
            }
    }
    return allotted;
}

/* One round of the singles, from the one whose turn it is: of n clusters the first n get one. */
static uint64_t deal_singles(struct cluster_places *p, uint64_t n, uint32_t level, uint32_t turn,
                             uint16_t *out)
{
    uint64_t dealt = 0;
    for (uint32_t k = 0; k < p->n_singles; k++) {
        uint32_t g = (turn + k) % p->n_singles;
        if (g < n && has_room(p, p->free, g, level))
            take(p, p->free, g, out + p->size * dealt++);
    }
    return dealt;
}

static uint64_t deal_gpcs(struct cluster_places *p, uint64_t n, uint32_t level, uint32_t *turn,
                          uint16_t *out)
{
    uint32_t share[STRATA_MAX_SMS] = {0}, gpcs = p->n_groups - p->n_singles;
    uint64_t allotted = allot(p, n, level, share), dealt = 0;
    for (uint32_t c = *turn % gpcs; dealt < allotted; c = (c + 1) % gpcs) {
        uint32_t g = p->n_singles + c;
        if (!share[g])
            continue;
        share[g]--;
        take(p, p->free, g, out + p->size * dealt++);
        *turn = (c + 1) % gpcs;
    }
    return dealt;
}

uint64_t cluster_places_deal(struct cluster_places *p, uint64_t n,
                             struct strata_dispatch_state *state, uint16_t *out)
{
    uint64_t dealt = 0;
    for (uint32_t level = p->blocks_per_sm; level && dealt < n; level--) {
        dealt += deal_singles(p, n - dealt, level, state->single, out + p->size * dealt);
        dealt += deal_gpcs(p, n - dealt, level, &state->cluster, out + p->size * dealt);
    }
    return dealt;
}

void cluster_places_release(struct cluster_places *p, uint32_t sm)
{
    p->free[sm]++;
}

bool cluster_places_next(struct cluster_places *p, uint16_t *out)
{
    for (uint32_t g = 0; g < p->n_groups; g++)
        if (has_room(p, p->free, g, 1)) {
            take(p, p->free, g, out);
            return true;
        }
    return false;
}
