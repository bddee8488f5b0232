/* block_cluster.c - blocks that run together, and warps that work together. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/emulator.h"

uint32_t emu_cluster_rank(const struct emu_run *run, uint64_t block, uint64_t *cluster)
{
    struct strata_dim3 grid = run->launch->grid, size = run->cluster;
    uint64_t x = block % grid.x, y = block / grid.x % grid.y, z = block / grid.x / grid.y;
    *cluster = x / size.x + (uint64_t)(grid.x / size.x) *
                                (y / size.y + (uint64_t)(grid.y / size.y) * (z / size.z));
    return (uint32_t)(x % size.x + size.x * (y % size.y + size.y * (z % size.z)));
}

uint64_t emu_cluster_span(const struct emu_run *run)
{
    struct strata_dim3 grid = run->launch->grid, size = run->cluster;
    if (size.z > 1)
        return (uint64_t)grid.x * grid.y * size.z;
    return size.y > 1 ? (uint64_t)grid.x * size.y : size.x;
}

void emu_cluster_alone(struct emu_block *block)
{
    block->alone = (struct emu_cluster){.n = 1, .left = 1, .block = {block}};
    block->cluster = &block->alone;
    block->rank = 0;
}

bool emu_cluster_join(struct emu_block *block, struct emu_block *mate)
{
    uint64_t number;
    struct emu_cluster *c = mate ? mate->cluster : calloc(1, sizeof *c);
    if (!c)
        return false;
    c->n = emu_cluster_blocks(block->run);
    c->left++;
    block->cluster = c;
    block->rank = emu_cluster_rank(block->run, block->index, &number);
    c->block[block->rank] = block;
    return true;
}

void emu_cluster_leave(struct emu_block *block)
{
    struct emu_cluster *c = block->cluster;
    block->cluster = NULL;
    if (!c || c == &block->alone)
        return;
    c->block[block->rank] = NULL;
    if (!--c->left)
        free(c);
}

struct emu_block *emu_cluster_target(struct emu_block *block, uint64_t address, uint64_t *offset)
{
    uint64_t tag = address >> EMU_RANK_SHIFT;
    *offset = address & (EMU_RANK_BYTES - 1);
    if (!tag)
        return block;
    return tag <= block->cluster->n ? block->cluster->block[tag - 1] : NULL;
}

/* ---- the barrier of a cluster ---- */

static uint32_t live_threads(const struct emu_cluster *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n; i++)
        for (uint32_t k = 0; c->block[i] && k < c->block[i]->n_warps; k++)
            n += popcount32(emu_block_warp(c->block[i], k)->live);
    return n;
}

/* Threads that have exited are not waited for. */
static void end_phase(struct emu_cluster *c)
{
    if (!c->arrived || c->arrived < live_threads(c))
        return;
    c->arrived = 0;
    c->phase++;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->block[i])
            c->block[i]->events++;
}

void emu_cluster_arrive(struct emu_warp *w, uint32_t mask)
{
    struct emu_cluster *c = w->block->cluster;
    w->cluster_token = c->phase;
    c->arrived += popcount32(mask);
    end_phase(c);
}

bool emu_cluster_passed(struct emu_warp *w)
{
    end_phase(w->block->cluster);
    return w->block->cluster->phase != w->cluster_token;
}

/* ---- warpgroups ---- */

/* On the card the four warps of a group multiply together; here each does its own rows, and meets
 * the others where results are waited for, so that none says "read" for one that is behind. */
bool emu_group_meets(struct emu_warp *w)
{
    struct emu_block *block = w->block;
    uint32_t first = w->index & ~3u;
    if (w->group_arrived == w->group_passed) {
        w->group_arrived++;
        block->events++;
    }
    for (uint32_t i = first; i < first + 4 && i < block->n_warps; i++) {
        const struct emu_warp *other = emu_block_warp(block, i);
        if (other->live && (int32_t)(other->group_arrived - w->group_arrived) < 0)
            return false;
    }
    w->group_passed = w->group_arrived;
    return true;
}
