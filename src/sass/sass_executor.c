/* sass_executor.c - machine code as an executor: constant banks, the state of warps, barriers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sass/handlers.h"
#include "sass/module.h"

static struct sass_image *image_of(const struct emu_run *run)
{
    return (struct sass_image *)run->image;
}

static struct emu_image *module_image(struct strata_module *base, size_t entry,
                                      struct strata_error *err)
{
    struct sass_module *m = (struct sass_module *)base;
    return sass_image_build(m, &m->images[entry], err) ? &m->images[entry].base : NULL;
}

/* ---- constant banks ---- */

/* What the driver puts below the parameters, as code for sm_75 to sm_90 reads it. */
enum {
    BANK0_BLOCK = 0x00,     /* three words */
    BANK0_GRID = 0x0c,      /* three words */
    BANK0_LOCAL_LOW = 0x20, /* generic address of local memory */
    BANK0_LOCAL_HIGH = 0x24,
    BANK0_STACK = 0x28,                  /* end of a thread's local memory: R1 begins there */
    BANK0_DYNAMIC_SHARED = 0x2c,         /* bytes */
    BANK0_ENVIRONMENT_90 = 0x40,         /* %envreg0 on, from Hopper on */
    BANK0_ENVIRONMENT = 0x88,            /* the same before */
    BANK0_SHARED_RESERVED_END_90 = 0x68, /* %reserved_smem_offset_end; _offset_1 follows: 0 */
    /* generic address of the module's constants (bank 3): code without optimisation loads from it
     */
    BANK0_CONSTANTS_90 = 0xd0,
    BANK0_CONSTANTS = 0x50,
    BANK0_SM_COUNT = 0x10c,
    BANK0_SHARED_RESERVED = 0x114,     /* bytes of shared memory the system keeps */
    BANK0_SHARED_AGGREGATE_90 = 0x13c, /* what of %aggr_smem_size is no rounding */
    /* sm_90: what code assembled from reads of the cluster's special registers asks for */
    BANK0_IS_CLUSTER = 0x140,
    BANK0_CLUSTER = 0x144,         /* three words: blocks of a cluster */
    BANK0_CLUSTER_INVERSE = 0x150, /* their reciprocals in f32, not below the exact ones */
    BANK0_CLUSTERS = 0x15c,        /* three words: clusters of the grid */
    BANK0_CLUSTER_BLOCKS = 0x188,
    BANK0_PARAMETERS = 0x198 /* generic address of the parameters */
};

static void put(struct sass_run *state, uint32_t at, uint32_t value)
{
    if (at + 4 <= state->bank_bytes[0])
        memcpy(state->bank[0] + at, &value, sizeof value);
}

/* Sizes of clusters and grids stay below 2^24, so a quotient by the next larger reciprocal is
 * whole.
 */
static uint32_t reciprocal(uint32_t n)
{
    float inverse = nextafterf(1.0f / (float)n, 2.0f);
    uint32_t bits;
    memcpy(&bits, &inverse, sizeof bits);
    return n == 1 ? 0x3f800000u : bits;
}

static void fill_cluster(const struct emu_run *run, struct sass_run *state)
{
    const uint32_t cluster[] = {run->cluster.x, run->cluster.y, run->cluster.z};
    const uint32_t grid[] = {run->launch->grid.x, run->launch->grid.y, run->launch->grid.z};
    uint32_t blocks = emu_cluster_blocks(run);
    uint64_t params = (uint64_t)(uintptr_t)run->params;
    put(state, BANK0_IS_CLUSTER, blocks > 1);
    put(state, BANK0_CLUSTER_BLOCKS, blocks);
    for (uint32_t i = 0; i < 3; i++) {
        put(state, BANK0_CLUSTER + 4 * i, cluster[i]);
        put(state, BANK0_CLUSTER_INVERSE + 4 * i, reciprocal(cluster[i]));
        put(state, BANK0_CLUSTERS + 4 * i, grid[i] / cluster[i]);
    }
    put(state, BANK0_PARAMETERS, (uint32_t)params);
    put(state, BANK0_PARAMETERS + 4, (uint32_t)(params >> 32));
}

static bool fill_bank0(struct emu_run *run, struct sass_run *state)
{
    const struct sass_module *m = (const struct sass_module *)run->module;
    const struct sass_image *image = image_of(run);
    const struct strata_kernel_launch *launch = run->launch;
    uint32_t section = image->kernel->constant0;
    uint64_t size = section == SASS_UNDEFINED ? 0 : m->cubin.section[section].size;
    uint32_t params = launch->entry->param_bytes;
    if (size < (uint64_t)image->param_base + params)
        size = (uint64_t)image->param_base + params;
    if (size < 0x400)
        size = 0x400;
    state->bank[0] = calloc(1, size + 16);
    if (!state->bank[0])
        return false;
    state->bank_bytes[0] = (uint32_t)size;
    if (section != SASS_UNDEFINED && m->places[section].bytes)
        memcpy(state->bank[0], m->places[section].bytes, m->cubin.section[section].size);
    const uint32_t block[] = {launch->block.x, launch->block.y, launch->block.z};
    const uint32_t grid[] = {launch->grid.x, launch->grid.y, launch->grid.z};
    for (uint32_t i = 0; i < 3; i++) {
        put(state, BANK0_BLOCK + 4 * i, block[i]);
        put(state, BANK0_GRID + 4 * i, grid[i]);
    }
    put(state, BANK0_LOCAL_LOW, (uint32_t)STRATA_LOCAL_WINDOW);
    put(state, BANK0_LOCAL_HIGH, (uint32_t)(STRATA_LOCAL_WINDOW >> 32));
    put(state, BANK0_STACK, run->local_stride);
    uint64_t workspace = (uint64_t)(uintptr_t)run->grid_workspace;
    uint32_t environment = m->cubin.arch >= 90 ? BANK0_ENVIRONMENT_90 : BANK0_ENVIRONMENT;
    put(state, environment + 4, (uint32_t)(workspace >> 32));
    put(state, environment + 8, (uint32_t)workspace);
    put(state, BANK0_DYNAMIC_SHARED, launch->shared_dynamic_bytes);
    put(state, BANK0_SM_COUNT, emu_sm_count(run));
    put(state, BANK0_SHARED_RESERVED,
        image->base.shared_bytes - launch->entry->shared_static_bytes);
    if (m->cubin.arch >= 90) {
        put(state, BANK0_SHARED_RESERVED_END_90, EMU_SHARED_USED_BYTES);
        put(state, BANK0_SHARED_AGGREGATE_90, run->shared_bytes);
        fill_cluster(run, state);
    }
    if (params)
        memcpy(state->bank[0] + image->param_base, run->params, params);
    return true;
}

static void find_banks(struct emu_run *run, struct sass_run *state)
{
    const struct sass_module *m = (const struct sass_module *)run->module;
    uint32_t kernel = (uint32_t)(image_of(run)->kernel - m->cubin.kernel);
    for (uint32_t i = 0; i < m->cubin.n_sections; i++) {
        const struct sass_section *s = &m->cubin.section[i];
        if (s->kind != SASS_SECTION_CONSTANT || !s->bank || s->bank >= 32 ||
            (s->kernel != SASS_NO_KERNEL && s->kernel != kernel))
            continue;
        state->bank[s->bank] = m->places[i].bytes;
        state->bank_bytes[s->bank] = (uint32_t)s->size;
    }
    uint64_t constants = (uint64_t)(uintptr_t)state->bank[3];
    uint32_t at = m->cubin.arch >= 90 ? BANK0_CONSTANTS_90 : BANK0_CONSTANTS;
    put(state, at, (uint32_t)constants);
    put(state, at + 4, (uint32_t)(constants >> 32));
}

static uint64_t constant_value(const struct sass_run *state, const struct sass_constant *c)
{
    uint64_t value = c->value;
    if (c->bank == SASS_IMMEDIATE)
        return value;
    uint32_t bytes = 4u * c->words, size = state->bank_bytes[c->bank & 31];
    if (state->bank[c->bank & 31] && c->offset <= size && size - c->offset >= bytes)
        memcpy(&value, state->bank[c->bank & 31] + c->offset, bytes);
    return value;
}

static void fill_rows(const struct sass_image *image, struct sass_run *state)
{
    for (size_t i = 0; i < image->n_constants; i++) {
        const struct sass_constant *c = &image->constants[i];
        uint64_t value = constant_value(state, c);
        for (unsigned k = 0; k < c->words; k++) {
            uint32_t *row =
                (uint32_t *)(void *)(state->constants + (size_t)(c->row + k) * SASS_ROW_BYTES);
            for (unsigned lane = 0; lane < EMU_LANES; lane++)
                row[lane] = (uint32_t)(value >> (32 * k));
        }
    }
}

static void run_end(struct emu_run *run)
{
    struct sass_run *state = run->state;
    if (!state)
        return;
    free(state->bank[0]);
    free(state->constants);
    free(state);
}

static bool run_begin(struct emu_run *run)
{
    struct sass_image *image = image_of(run);
    struct sass_run *state = calloc(1, sizeof *state);
    run->state = state;
    if (!state)
        return false;
    state->constants = aligned_alloc(64, ((size_t)image->n_constant_rows + 1) * SASS_ROW_BYTES);
    if (!state->constants || !fill_bank0(run, state))
        return false;
    find_banks(run, state);
    fill_rows(image, state);
    return true;
}

/* ---- warps ---- */

static uint32_t file_rows(const struct sass_image *image)
{
    return image->n_registers + SASS_ROWS_ZERO + SASS_ROWS_SINK + SASS_ROWS_UNIFORM +
           SASS_ROWS_TEMP;
}

static uint64_t warp_state_bytes(const struct emu_run *run)
{
    return (uint64_t)file_rows(image_of(run)) * SASS_ROW_BYTES;
}

static bool warp_create(struct emu_warp *base)
{
    struct sass_warp *w = (struct sass_warp *)base;
    const struct emu_run *run = base->block->run;
    w->image = image_of(run);
    w->constants = ((const struct sass_run *)run->state)->constants;
    w->file = aligned_alloc(64, warp_state_bytes(run));
    w->zero_row = w->image->n_registers * SASS_ROW_BYTES;
    w->sink_row = w->zero_row + SASS_ROWS_ZERO * SASS_ROW_BYTES;
    w->uniform_row = w->sink_row + SASS_ROWS_SINK * SASS_ROW_BYTES;
    w->temp_row = w->uniform_row + SASS_ROWS_UNIFORM * SASS_ROW_BYTES;
    return w->file;
}

static void warp_destroy(struct emu_warp *base)
{
    free(((struct sass_warp *)base)->file);
}

static void warp_start(struct emu_warp *base, uint32_t live)
{
    struct sass_warp *w = (struct sass_warp *)base;
    memset(w->file, 0, warp_state_bytes(base->block->run));
    sass_warp_start(w, live);
}

static enum emu_turn warp_run(struct emu_warp *w, uint64_t budget)
{
    return sass_warp_run((struct sass_warp *)w, budget);
}
static bool warp_release(struct emu_warp *w)
{
    return sass_warp_release((struct sass_warp *)w);
}

/* ---- barriers ---- */

static void barrier_result(struct emu_warp *base, const struct emu_path *path,
                           const struct emu_barrier *b)
{
    struct sass_warp *w = (struct sass_warp *)base;
    const struct sass_bar *bar = w->image->code[path->pc - 1].extra;
    bool yes = bar->reduce == SASS_BAR_AND ? b->all : b->any;
    for (uint32_t rest = path->mask; rest; rest &= rest - 1)
        w->bar_count[lowest_bit32(rest)] = b->popc;
    w->bar_true = (w->bar_true & ~path->mask) | (yes ? path->mask : 0);
}

static const struct emu_site *site(const struct emu_warp *base, uint32_t pc)
{
    return &((const struct sass_warp *)base)->image->code[pc].site;
}

/* ---- the table ---- */

static bool block_create(struct emu_block *block)
{
    (void)block;
    return true;
}
static void block_nothing(struct emu_block *block)
{
    (void)block;
}

const struct emu_executor sass_executor = {
    .isa = STRATA_ISA_SASS,
    .block_bytes = sizeof(struct emu_block),
    .warp_bytes = sizeof(struct sass_warp),
    .module_destroy = sass_module_destroy,
    .image = module_image,
    .run_begin = run_begin,
    .run_end = run_end,
    .warp_state_bytes = warp_state_bytes,
    .block_create = block_create,
    .block_destroy = block_nothing,
    .warp_create = warp_create,
    .warp_destroy = warp_destroy,
    .block_start = block_nothing,
    .warp_start = warp_start,
    .warp_run = warp_run,
    .warp_release = warp_release,
    .barrier_result = barrier_result,
    .site = site,
};
