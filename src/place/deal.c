/* deal.c - the order in which a GPU hands out the blocks that fit at once.
 *
 * Found from the SM of every block in eleven grids on an H200; the tables of the GPU file say which
 * SMs form clusters (GPCs) and TPCs, the rules are here.
 *
 *  1. Whole waves come first: as often as there is a block for every SM and room for it, every SM
 * gets one. Clusters are served in turn, one after another; a cluster that is served gives a block
 * to each of its SMs before the next cluster's turn comes.
 *  2. TPCs outside full clusters (the "singles" at the head of gpu->launch.order) form a group of
 *     their own. It is served first, and then at every seventh turn, until it has had as many
 * rounds as there are waves.
 *  3. The blocks of the last, partial wave are spread: first the singles; the others are allotted
 * one at a time to the clusters in turn, no cluster getting a second block per TPC before all TPCs
 *     have one. Then the clusters are served in turn with what they were allotted, spread in the
 * same way over the TPCs of each.
 *  4. Whose turn it is when a launch begins is what the launch before left: the cluster after the
 *     one that was served last.
 */
#include <stdlib.h>
#include <string.h>

#include "place/place.h"

enum { SINGLES_PERIOD = 7, SINGLES_FIRST = 6 };

/* SMs that are served together: a cluster, or all singles. TPCs are runs of SMs of `order`. */
struct group {
    uint16_t sm[STRATA_MAX_SMS];
    uint32_t n_sms;
    uint16_t tpc_start[STRATA_MAX_SMS + 1]; /* into sm, n_tpcs + 1 entries */
    uint32_t n_tpcs;
};

struct dealer {
    struct group single;
    struct group *cluster;
    uint32_t n_clusters;
    struct strata_dispatch_state *state;
    uint16_t *out;
    uint64_t n_out;
};

uint32_t sm_in_order(const struct strata_gpu *gpu, uint32_t i)
{
    return gpu->launch.n_order == sm_count(gpu) ? gpu->launch.order[i] : i;
}

/* SMs 2k and 2k + 1 are one TPC if they stand side by side in the order of a card whose order is
 * known; otherwise every SM is alone. */
static bool continues_tpc(const struct strata_gpu *gpu, const struct group *g, uint32_t sm)
{
    return gpu->launch.n_order && g->n_sms && sm % 2 == 1 && g->sm[g->n_sms - 1] == sm - 1;
}

static void add_sm(const struct strata_gpu *gpu, struct group *g, uint32_t sm)
{
    if (!continues_tpc(gpu, g, sm))
        g->tpc_start[g->n_tpcs++] = (uint16_t)g->n_sms;
    g->sm[g->n_sms++] = (uint16_t)sm;
    g->tpc_start[g->n_tpcs] = (uint16_t)g->n_sms;
}

uint32_t gpc_in_order(const struct strata_gpu *gpu, uint32_t sm)
{
    return gpu->launch.n_order && sm < gpu->launch.n_gpc_of_sm ? gpu->launch.gpc_of_sm[sm] : 0;
}

static strata_status find_groups(const struct strata_gpu *gpu, struct dealer *d,
                                 struct strata_error *err)
{
    uint32_t n = sm_count(gpu), singles = gpu->launch.singles < n ? gpu->launch.singles : 0;
    if (n > STRATA_MAX_SMS)
        return strata_fail(err, STRATA_ECONFIG, gpu->name, 0, 0,
                           "sm.count is %u, but at most %u SMs can be dealt to.", n,
                           STRATA_MAX_SMS);
    d->cluster = calloc(n, sizeof *d->cluster);
    if (!d->cluster)
        return strata_no_memory(err, gpu->name, "to place blocks");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t sm = sm_in_order(gpu, i);
        if (i < singles) {
            add_sm(gpu, &d->single, sm);
            continue;
        }
        if (i == singles || gpc_in_order(gpu, sm) != gpc_in_order(gpu, sm_in_order(gpu, i - 1)))
            d->n_clusters++;
        add_sm(gpu, &d->cluster[d->n_clusters - 1], sm);
    }
    return STRATA_OK;
}

/* One block for each SM, TPC by TPC from `first_tpc` on. */
static void serve_whole(struct dealer *d, const struct group *g, uint32_t first_tpc)
{
    for (uint32_t k = 0; k < g->n_tpcs; k++) {
        uint32_t tpc = (first_tpc + k) % g->n_tpcs;
        for (uint32_t i = g->tpc_start[tpc]; i < g->tpc_start[tpc + 1]; i++)
            d->out[d->n_out++] = g->sm[i];
    }
}

static uint32_t tpc_sms(const struct group *g, uint32_t tpc)
{
    return (uint32_t)(g->tpc_start[tpc + 1] - g->tpc_start[tpc]);
}

/* `blocks` over the SMs of a group, no TPC getting its second before all have one; rule 3. */
static void serve_part(struct dealer *d, const struct group *g, uint32_t first_tpc, uint32_t blocks)
{
    uint8_t share[STRATA_MAX_SMS] = {0};
    for (uint32_t k = 0, layer = 0; blocks; k = (k + 1) % g->n_tpcs, layer += k == 0) {
        uint32_t tpc = (first_tpc + k) % g->n_tpcs;
        if (tpc_sms(g, tpc) > layer) {
            share[tpc]++;
            blocks--;
        }
    }
    for (uint32_t k = 0; k < g->n_tpcs; k++) {
        uint32_t tpc = (first_tpc + k) % g->n_tpcs;
        for (uint32_t i = 0; i < share[tpc]; i++)
            d->out[d->n_out++] = g->sm[g->tpc_start[tpc] + i];
    }
}

static void deal_whole_waves(struct dealer *d, uint64_t waves)
{
    uint64_t singles_left = d->single.n_sms ? waves : 0, clusters_left = waves * d->n_clusters;
    for (uint64_t turn = 0; singles_left || clusters_left; turn++) {
        bool singles_turn = turn == 0 || turn % SINGLES_PERIOD == SINGLES_FIRST || !clusters_left;
        if (singles_left && singles_turn) {
            serve_whole(d, &d->single, d->state->single);
            singles_left--;
        } else if (clusters_left) {
            serve_whole(d, &d->cluster[d->state->cluster], 0);
            d->state->cluster = (d->state->cluster + 1) % d->n_clusters;
            clusters_left--;
        }
    }
}

/* How many SMs of a cluster are in TPCs' layers 0 .. layer. */
static uint32_t sms_up_to(const struct group *g, uint32_t layer)
{
    uint32_t n = 0;
    for (uint32_t t = 0; t < g->n_tpcs; t++)
        n += tpc_sms(g, t) <= layer ? tpc_sms(g, t) : layer + 1;
    return n;
}

/* Allots blocks one at a time, a cluster's TPCs filled layer by layer over the whole GPU. */
static void allot(const struct dealer *d, uint64_t blocks, uint32_t *share)
{
    for (uint32_t layer = 0; blocks; layer++)
        for (bool any = true; any && blocks;) {
            any = false;
            for (uint32_t c = 0; c < d->n_clusters && blocks; c++)
                if (share[c] < sms_up_to(&d->cluster[c], layer)) {
                    share[c]++;
                    blocks--;
                    any = true;
                }
        }
}

static void deal_partial_wave(struct dealer *d, uint64_t blocks)
{
    uint32_t share[STRATA_MAX_SMS] = {0};
    uint64_t to_singles = blocks < d->single.n_sms ? blocks : d->single.n_sms;
    if (to_singles)
        serve_part(d, &d->single, d->state->single, (uint32_t)to_singles);
    allot(d, blocks - to_singles, share);
    uint32_t first = d->state->cluster;
    for (uint32_t k = 0; k < d->n_clusters; k++) {
        uint32_t c = (first + k) % d->n_clusters;
        if (!share[c])
            continue;
        serve_part(d, &d->cluster[c], 0, share[c]);
        d->state->cluster = (c + 1) % d->n_clusters;
    }
}

strata_status deal_blocks(const struct strata_gpu *gpu, uint64_t n, uint32_t blocks_per_sm,
                          struct strata_dispatch_state *state, uint16_t *sm,
                          struct strata_error *err)
{
    struct dealer *d = calloc(1, sizeof *d);
    if (!d)
        return strata_no_memory(err, gpu->name, "to place blocks");
    strata_status status = find_groups(gpu, d, err);
    if (status == STRATA_OK) {
        uint64_t waves = n / sm_count(gpu);
        d->state = state;
        d->out = sm;
        state->cluster %= d->n_clusters;
        state->single %= d->single.n_tpcs ? d->single.n_tpcs : 1;
        if (waves > blocks_per_sm)
            waves = blocks_per_sm;
        deal_whole_waves(d, waves);
        if (waves < blocks_per_sm)
            deal_partial_wave(d, n - waves * sm_count(gpu));
    }
    free(d->cluster);
    free(d);
    return status;
}

void after_block(const struct strata_gpu *gpu, uint32_t sm, struct strata_dispatch_state *state)
{
    uint32_t cluster = 0, tpc = 0,
             singles = gpu->launch.singles < sm_count(gpu) ? gpu->launch.singles : 0;
    for (uint32_t i = 0; i < sm_count(gpu); i++) {
        uint32_t at = sm_in_order(gpu, i);
        if (i < singles)
            tpc += i > 0 && !(at % 2 == 1 && sm_in_order(gpu, i - 1) == at - 1);
        else
            cluster +=
                i > singles && gpc_in_order(gpu, at) != gpc_in_order(gpu, sm_in_order(gpu, i - 1));
        if (at == sm && i < singles)
            state->single = tpc + 1;
        else if (at == sm)
            state->cluster = cluster + 1;
    }
}
