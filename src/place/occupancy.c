/* occupancy.c - how many blocks of a launch an SM holds at once, as the hardware allots its parts.
 *
 * Registers are given to warps in units of gpu->sm.register_alloc_unit, and each scheduler owns an
 * equal share of the register file, so the number of warps is a multiple of the schedulers
 * (sm.warp_alloc_granularity). Shared memory comes in units of shared.alloc_unit, and the driver
 * takes shared.per_block_reserved of every block. */
#include "base/bits.h"
#include "place/place.h"

uint32_t sm_count(const struct strata_gpu *gpu)
{
    return gpu->sm.count ? gpu->sm.count : 1;
}

uint32_t warps_by_registers(const struct strata_gpu *gpu, uint32_t registers_per_thread,
                            uint32_t unit)
{
    uint64_t per_warp =
        round_up((uint64_t)registers_per_thread * STRATA_WARP_SIZE, unit ? unit : 1);
    uint64_t warps = gpu->sm.registers / per_warp;
    uint32_t granularity = gpu->sm.warp_alloc_granularity ? gpu->sm.warp_alloc_granularity : 1;
    return (uint32_t)(warps / granularity * granularity);
}

static uint32_t blocks_by_warps(const struct strata_gpu *gpu, uint32_t warps_per_block)
{
    uint32_t warps = gpu->sm.max_warps;
    if (gpu->sm.max_threads && gpu->sm.max_threads / STRATA_WARP_SIZE < warps)
        warps = gpu->sm.max_threads / STRATA_WARP_SIZE;
    return warps / warps_per_block;
}

static strata_status none_fits(const struct strata_launch *l, const struct strata_occupancy *o,
                               struct strata_error *err)
{
    const char *what = !o->limit_warps       ? "has more warps than an SM can hold"
                       : !o->limit_registers ? "needs more registers than an SM has"
                                             : "needs more shared memory than an SM has";
    return strata_fail(err, STRATA_ELIMIT, l->trace, 0, 0,
                       "no block fits on an SM of this GPU: a block of %u threads with %u "
                       "registers a thread and %llu "
                       "bytes of shared memory %s; choose the GPU the trace was made for.",
                       strata_launch_threads_per_block(l), l->registers_per_thread,
                       (unsigned long long)l->shared_static_bytes + l->shared_dynamic_bytes, what);
}

/* Smallest of a sum and a 32-bit number. */
static uint32_t limit_of(uint64_t available, uint64_t per_block, uint32_t without_use)
{
    return per_block ? (uint32_t)(available / per_block) : without_use;
}

/* Blocks by registers. An estimate never makes a launch impossible that was made: the assembler
 * would have kept the registers to what one block can have. */
static uint32_t blocks_by_registers(const struct strata_gpu *gpu, const struct strata_launch *l,
                                    const struct strata_occupancy *o)
{
    if (!l->registers_per_thread || !gpu->sm.registers)
        return o->limit_blocks;
    uint32_t warps = warps_by_registers(gpu, l->registers_per_thread, gpu->sm.register_alloc_unit);
    uint32_t blocks = warps / o->warps_per_block;
    return blocks || l->regs_source != STRATA_REGS_ESTIMATE ? blocks : 1;
}

/* SMs of the largest GPC; 0: the description does not tell. */
static uint32_t largest_gpc(const struct strata_gpu *gpu)
{
    uint32_t n[64] = {0}, most = 0;
    for (uint32_t sm = 0; sm < gpu->launch.n_gpc_of_sm; sm++) {
        uint32_t *here = &n[gpu->launch.gpc_of_sm[sm] % 64];
        most = ++*here > most ? *here : most;
    }
    return most || !gpu->launch.gpcs ? most : (uint32_t)ceil_div(sm_count(gpu), gpu->launch.gpcs);
}

/* The blocks of a cluster are resident together, within one GPC. */
static strata_status check_cluster(const struct strata_gpu *gpu, const struct strata_launch *l,
                                   uint32_t blocks_per_sm, struct strata_error *err)
{
    struct strata_dim3 c = l->cluster;
    uint64_t blocks = (uint64_t)(c.x ? c.x : 1) * (c.y ? c.y : 1) * (c.z ? c.z : 1);
    uint32_t sms = largest_gpc(gpu);
    if (blocks < 2 || !sms || blocks <= (uint64_t)sms * blocks_per_sm)
        return STRATA_OK;
    return strata_fail(
        err, STRATA_ELIMIT, l->trace, 0, 0,
        "a cluster of %ux%ux%u blocks does not fit in a GPC of this GPU, whose "
        "largest has %u SMs with room for %u each; choose the GPU the trace was made "
        "for.",
        c.x, c.y, c.z, sms, blocks_per_sm);
}

strata_status strata_occupancy_compute(const struct strata_gpu *gpu, const struct strata_launch *l,
                                       struct strata_occupancy *out, struct strata_error *err)
{
    struct strata_occupancy o = {.limit_blocks = gpu->sm.max_blocks};
    o.warps_per_block = strata_launch_warps_per_block(l);
    if (!o.warps_per_block || !strata_launch_blocks(l))
        return strata_fail(err, STRATA_EFORMAT, l->trace, 0, 0,
                           "the launch has no threads: its grid or block has a dimension of 0.");
    o.limit_warps = blocks_by_warps(gpu, o.warps_per_block);
    o.limit_registers = blocks_by_registers(gpu, l, &o);
    o.shared_per_block_bytes = round_up((uint64_t)l->shared_static_bytes + l->shared_dynamic_bytes +
                                            gpu->shared.per_block_reserved_bytes,
                                        gpu->shared.alloc_unit_bytes);
    o.shared_config_bytes = choose_carveout(gpu, l, o.shared_per_block_bytes, o.limit_warps);
    o.limit_shared_mem = limit_of(o.shared_config_bytes, o.shared_per_block_bytes, o.limit_blocks);
    o.l1_bytes = gpu->l1.unified_bytes && gpu->l1.n_carveout
                     ? gpu->l1.unified_bytes - o.shared_config_bytes
                     : gpu->l1.cache.size_bytes;
    o.blocks_per_sm = o.limit_blocks;
    o.blocks_per_sm = o.limit_warps < o.blocks_per_sm ? o.limit_warps : o.blocks_per_sm;
    o.blocks_per_sm = o.limit_registers < o.blocks_per_sm ? o.limit_registers : o.blocks_per_sm;
    o.blocks_per_sm = o.limit_shared_mem < o.blocks_per_sm ? o.limit_shared_mem : o.blocks_per_sm;
    if (!o.blocks_per_sm)
        return none_fits(l, &o, err);
    if (check_cluster(gpu, l, o.blocks_per_sm, err) != STRATA_OK)
        return err ? err->status : STRATA_ELIMIT;
    o.waves = (double)strata_launch_blocks(l) / ((double)sm_count(gpu) * o.blocks_per_sm);
    *out = o;
    return STRATA_OK;
}
