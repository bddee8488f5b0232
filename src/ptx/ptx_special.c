/* ptx_special.c - special registers. */
#include "ptx/special.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

static const struct {
    const char *name;
    uint8_t bank, index;
} names[] = {
    {"%tid.x", PTX_BANK_WARP, PTX_SR_TID_X},
    {"%tid.y", PTX_BANK_WARP, PTX_SR_TID_Y},
    {"%tid.z", PTX_BANK_WARP, PTX_SR_TID_Z},
    {"%ntid.x", PTX_BANK_WARP, PTX_SR_NTID_X},
    {"%ntid.y", PTX_BANK_WARP, PTX_SR_NTID_Y},
    {"%ntid.z", PTX_BANK_WARP, PTX_SR_NTID_Z},
    {"%ctaid.x", PTX_BANK_BLOCK, PTX_SR_CTAID_X},
    {"%ctaid.y", PTX_BANK_BLOCK, PTX_SR_CTAID_Y},
    {"%ctaid.z", PTX_BANK_BLOCK, PTX_SR_CTAID_Z},
    {"%nctaid.x", PTX_BANK_WARP, PTX_SR_NCTAID_X},
    {"%nctaid.y", PTX_BANK_WARP, PTX_SR_NCTAID_Y},
    {"%nctaid.z", PTX_BANK_WARP, PTX_SR_NCTAID_Z},
    {"%laneid", PTX_BANK_WARP, PTX_SR_LANEID},
    {"%warpid", PTX_BANK_WARP, PTX_SR_WARPID},
    {"%nwarpid", PTX_BANK_WARP, PTX_SR_NWARPID},
    {"%smid", PTX_BANK_BLOCK, PTX_SR_SMID},
    {"%nsmid", PTX_BANK_WARP, PTX_SR_NSMID},
    {"%gridid", PTX_BANK_WARP, PTX_SR_ONE},
    {"%lanemask_eq", PTX_BANK_WARP, PTX_SR_LANEMASK_EQ},
    {"%lanemask_lt", PTX_BANK_WARP, PTX_SR_LANEMASK_LT},
    {"%lanemask_le", PTX_BANK_WARP, PTX_SR_LANEMASK_LE},
    {"%lanemask_gt", PTX_BANK_WARP, PTX_SR_LANEMASK_GT},
    {"%lanemask_ge", PTX_BANK_WARP, PTX_SR_LANEMASK_GE},
    {"%dynamic_smem_size", PTX_BANK_WARP, PTX_SR_DYNAMIC_SMEM},
    {"%total_smem_size", PTX_BANK_WARP, PTX_SR_TOTAL_SMEM},
    {"%reserved_smem_offset_begin", PTX_BANK_WARP, PTX_SR_ZERO},
    {"%aggr_smem_size", PTX_BANK_WARP, PTX_SR_AGGREGATE_SMEM},
    {"%reserved_smem_offset_end", PTX_BANK_WARP, PTX_SR_RESERVED_END},
    {"%reserved_smem_offset_cap", PTX_BANK_WARP, PTX_SR_RESERVED_SMEM},
    {"%reserved_smem_offset_0", PTX_BANK_WARP, PTX_SR_ZERO},
    {"%reserved_smem_offset_1", PTX_BANK_WARP, PTX_SR_ZERO},
    {"%clusterid.x", PTX_BANK_BLOCK, PTX_SR_CLUSTERID_X},
    {"%clusterid.y", PTX_BANK_BLOCK, PTX_SR_CLUSTERID_Y},
    {"%clusterid.z", PTX_BANK_BLOCK, PTX_SR_CLUSTERID_Z},
    {"%cluster_ctaid.x", PTX_BANK_BLOCK, PTX_SR_CLUSTER_CTAID_X},
    {"%cluster_ctaid.y", PTX_BANK_BLOCK, PTX_SR_CLUSTER_CTAID_Y},
    {"%cluster_ctaid.z", PTX_BANK_BLOCK, PTX_SR_CLUSTER_CTAID_Z},
    {"%nclusterid.x", PTX_BANK_WARP, PTX_SR_NCLUSTERID_X},
    {"%nclusterid.y", PTX_BANK_WARP, PTX_SR_NCLUSTERID_Y},
    {"%nclusterid.z", PTX_BANK_WARP, PTX_SR_NCLUSTERID_Z},
    {"%cluster_nctaid.x", PTX_BANK_WARP, PTX_SR_CLUSTER_NCTAID_X},
    {"%cluster_nctaid.y", PTX_BANK_WARP, PTX_SR_CLUSTER_NCTAID_Y},
    {"%cluster_nctaid.z", PTX_BANK_WARP, PTX_SR_CLUSTER_NCTAID_Z},
    {"%cluster_ctarank", PTX_BANK_BLOCK, PTX_SR_CLUSTER_CTARANK},
    {"%cluster_nctarank", PTX_BANK_WARP, PTX_SR_CLUSTER_NCTARANK},
    {"%clusterid.w", PTX_BANK_WARP, PTX_SR_ZERO},
    {"%nclusterid.w", PTX_BANK_WARP, PTX_SR_ZERO},
    {"%envreg1", PTX_BANK_WARP, PTX_SR_ENVREG1},
    {"%envreg2", PTX_BANK_WARP, PTX_SR_ENVREG2},
};

static const struct {
    const char *name;
    enum ptx_special_kind kind;
    bool wide;
} clocks[] = {
    {"%clock", PTX_SPECIAL_CLOCK, false},          {"%clock_lo", PTX_SPECIAL_CLOCK, false},
    {"%clock_hi", PTX_SPECIAL_CLOCK_HI, false},    {"%clock64", PTX_SPECIAL_CLOCK, true},
    {"%globaltimer_lo", PTX_SPECIAL_TIMER, false}, {"%globaltimer_hi", PTX_SPECIAL_TIMER_HI, false},
    {"%globaltimer", PTX_SPECIAL_TIMER, true},
};

enum ptx_special_kind ptx_special_find(const char *name, uint32_t *ref, bool *wide)
{
    *wide = false;
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
        if (!strcmp(name, clocks[i].name)) {
            *wide = clocks[i].wide;
            return clocks[i].kind;
        }
    if (!strcmp(name, "%is_explicit_cluster")) {
        *ref = PTX_REF(PTX_BANK_WARP, PTX_SR_EXPLICIT_CLUSTER * 128u);
        return PTX_SPECIAL_MASK;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i].name)) {
            *ref = PTX_REF(names[i].bank, names[i].index * 128u);
            return PTX_SPECIAL_LANES;
        }
    if (!strncmp(name, "%envreg", 7)) { /* set by a driver; programs see zero */
        *ref = PTX_REF(PTX_BANK_WARP, PTX_SR_ZERO * 128u);
        return PTX_SPECIAL_LANES;
    }
    return PTX_SPECIAL_UNKNOWN;
}

static void fill(uint8_t *bank, unsigned index, uint32_t value)
{
    uint32_t *lanes = (uint32_t *)(void *)(bank + index * 128u);
    for (unsigned i = 0; i < EMU_LANES; i++)
        lanes[i] = value;
}

static void fill_warp(const struct emu_run *run, uint8_t *bank, uint32_t warp)
{
    uint32_t(*lanes)[EMU_LANES] = (void *)bank;
    struct strata_dim3 size = run->launch->block;
    for (unsigned i = 0; i < EMU_LANES; i++) {
        uint32_t thread = warp * EMU_LANES + i;
        lanes[PTX_SR_TID_X][i] = thread % size.x;
        lanes[PTX_SR_TID_Y][i] = thread / size.x % size.y;
        lanes[PTX_SR_TID_Z][i] = thread / size.x / size.y;
        lanes[PTX_SR_LANEID][i] = i;
        lanes[PTX_SR_LANEMASK_EQ][i] = 1u << i;
        lanes[PTX_SR_LANEMASK_LT][i] = (1u << i) - 1;
        lanes[PTX_SR_LANEMASK_LE][i] = (1u << i) | ((1u << i) - 1);
        lanes[PTX_SR_LANEMASK_GT][i] = ~((1u << i) | ((1u << i) - 1));
        lanes[PTX_SR_LANEMASK_GE][i] = ~((1u << i) - 1);
    }
}

static void fill_shared(const struct emu_run *run, uint8_t *bank)
{
    uint32_t reserved = ((const struct ptx_image *)run->image)->shared_reserved_bytes;
    uint32_t own = run->shared_bytes - reserved;
    bool keeps = reserved || run->module->sm >= 90;
    fill(bank, PTX_SR_TOTAL_SMEM, (uint32_t)round_up(own, EMU_SHARED_PIECE_BYTES));
    fill(bank, PTX_SR_AGGREGATE_SMEM, own + (keeps ? EMU_SHARED_RESERVED_BYTES : 0));
    fill(bank, PTX_SR_RESERVED_SMEM, reserved);
    fill(bank, PTX_SR_RESERVED_END, reserved ? EMU_SHARED_USED_BYTES : 0);
}

bool ptx_special_fill_run(struct emu_run *run)
{
    const struct strata_kernel_launch *l = run->launch;
    uint8_t *lanes = aligned_alloc(64, (size_t)run->n_warps * PTX_SPECIAL_WARP_BYTES);
    run->state = lanes;
    if (!lanes)
        return false;
    for (uint32_t warp = 0; warp < run->n_warps; warp++) {
        uint8_t *bank = lanes + (size_t)warp * PTX_SPECIAL_WARP_BYTES;
        memset(bank, 0, PTX_SPECIAL_WARP_BYTES);
        fill_warp(run, bank, warp);
        fill(bank, PTX_SR_WARPID, warp);
        fill(bank, PTX_SR_NTID_X, l->block.x);
        fill(bank, PTX_SR_NTID_Y, l->block.y);
        fill(bank, PTX_SR_NTID_Z, l->block.z);
        fill(bank, PTX_SR_NCTAID_X, l->grid.x);
        fill(bank, PTX_SR_NCTAID_Y, l->grid.y);
        fill(bank, PTX_SR_NCTAID_Z, l->grid.z);
        fill(bank, PTX_SR_NCLUSTERID_X, l->grid.x / run->cluster.x);
        fill(bank, PTX_SR_NCLUSTERID_Y, l->grid.y / run->cluster.y);
        fill(bank, PTX_SR_NCLUSTERID_Z, l->grid.z / run->cluster.z);
        fill(bank, PTX_SR_CLUSTER_NCTAID_X, run->cluster.x);
        fill(bank, PTX_SR_CLUSTER_NCTAID_Y, run->cluster.y);
        fill(bank, PTX_SR_CLUSTER_NCTAID_Z, run->cluster.z);
        fill(bank, PTX_SR_CLUSTER_NCTARANK, emu_cluster_blocks(run));
        fill(bank, PTX_SR_EXPLICIT_CLUSTER, emu_cluster_blocks(run) > 1 ? EMU_FULL : 0);
        fill(bank, PTX_SR_NWARPID, 64);
        fill(bank, PTX_SR_NSMID, emu_sm_count(run));
        fill(bank, PTX_SR_ONE, 1);
        fill(bank, PTX_SR_DYNAMIC_SMEM, l->shared_dynamic_bytes);
        fill_shared(run, bank);
        fill(bank, PTX_SR_ENVREG1, (uint32_t)((uint64_t)(uintptr_t)run->grid_workspace >> 32));
        fill(bank, PTX_SR_ENVREG2, (uint32_t)(uintptr_t)run->grid_workspace);
    }
    return true;
}

void ptx_special_fill_block(struct ptx_block *block)
{
    uint32_t sms = emu_sm_count(block->base.run);
    fill(block->block_lanes, PTX_SR_CTAID_X, block->base.id[0]);
    fill(block->block_lanes, PTX_SR_CTAID_Y, block->base.id[1]);
    fill(block->block_lanes, PTX_SR_CTAID_Z, block->base.id[2]);
    fill(block->block_lanes, PTX_SR_SMID, (uint32_t)(block->base.index % sms));
    const struct strata_dim3 *c = &block->base.run->cluster;
    uint64_t number;
    fill(block->block_lanes, PTX_SR_CLUSTERID_X, block->base.id[0] / c->x);
    fill(block->block_lanes, PTX_SR_CLUSTERID_Y, block->base.id[1] / c->y);
    fill(block->block_lanes, PTX_SR_CLUSTERID_Z, block->base.id[2] / c->z);
    fill(block->block_lanes, PTX_SR_CLUSTER_CTAID_X, block->base.id[0] % c->x);
    fill(block->block_lanes, PTX_SR_CLUSTER_CTAID_Y, block->base.id[1] % c->y);
    fill(block->block_lanes, PTX_SR_CLUSTER_CTAID_Z, block->base.id[2] % c->z);
    fill(block->block_lanes, PTX_SR_CLUSTER_CTARANK,
         emu_cluster_rank(block->base.run, block->base.index, &number));
}
